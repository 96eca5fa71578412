# SPDX-License-Identifier: Apache-2.0
"""Makes wheels. The package alone is pure Python, so that its wheel is its files in a zip: no build tool has
to be downloaded, and `pip install ./harness/python` works without a network. `./dev wheel` packs the command
with it (harness/packages/wheel.py)."""

import base64
import hashlib
import pathlib
import re
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r'__version__ = "([^"]+)"', (ROOT / "conoscope/_version.py").read_text())[1]
SUMMARY = "Puts concept-based explanations of neural networks to the test"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, "conoscope", SUMMARY, package_files())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    link = {"conoscope.pth": (f"{ROOT}\n".encode(), False)}
    return write_wheel(wheel_directory, "conoscope", SUMMARY, link)


def stem(name):
    return f"{name}-{VERSION}"


def package_files():
    """By their names in a wheel: bytes, and whether they are programs."""
    return {
        str(path.relative_to(ROOT)): (path.read_bytes(), False)
        for path in sorted((ROOT / "conoscope").rglob("*.py"))
    }


def write_wheel(folder, name, summary, files, platform="any", scripts=None, requires=("numpy",)):
    """scripts: names of commands, and the functions that they call."""
    info = f"{stem(name)}.dist-info"
    metadata = [
        "Metadata-Version: 2.1",
        f"Name: {name.replace('_', '-')}",
        f"Version: {VERSION}",
        f"Summary: {summary}",
        "License: Apache-2.0",
        "Requires-Python: >=3.9",
        *(f"Requires-Dist: {one}" for one in requires),
    ]
    wheel = [
        "Wheel-Version: 1.0",
        "Generator: conoscope",
        f"Root-Is-Purelib: {'true' if platform == 'any' else 'false'}",
        f"Tag: py3-none-{platform}",
    ]
    files = dict(files)
    files[f"{info}/METADATA"] = _lines(metadata)
    files[f"{info}/WHEEL"] = _lines(wheel)
    if scripts:
        points = ["[console_scripts]", *(f"{one} = {of}" for one, of in scripts.items())]
        files[f"{info}/entry_points.txt"] = _lines(points)
    record = [f"{path},sha256={_digest(content)},{len(content)}" for path, (content, _) in files.items()]
    files[f"{info}/RECORD"] = _lines([*record, f"{info}/RECORD,,"])
    file = f"{stem(name)}-py3-none-{platform}.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for path, (content, program) in files.items():
            entry = zipfile.ZipInfo(path)  # of 1980: the same files make the same wheel
            entry.external_attr = (0o100755 if program else 0o100644) << 16
            out.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return file


def _lines(lines):
    return "".join(line + "\n" for line in lines).encode(), False


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
