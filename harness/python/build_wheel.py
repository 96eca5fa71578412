"""Makes the wheel. The package is pure Python, so a wheel is its files in a zip: no build tool has to
be downloaded, and `pip install ./harness/python` works without a network."""

import base64
import hashlib
import pathlib
import re
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r'__version__ = "([^"]+)"', (ROOT / "conoscope/_version.py").read_text())[1]
INFO = f"conoscope-{VERSION}.dist-info"
METADATA = f"""\
Metadata-Version: 2.1
Name: conoscope
Version: {VERSION}
Summary: Puts concept-based explanations of neural networks to the test
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: conoscope
Root-Is-Purelib: true
Tag: py3-none-any
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {
        str(path.relative_to(ROOT)): path.read_bytes()
        for path in sorted((ROOT / "conoscope").rglob("*.py"))
    }
    return _write(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, {"conoscope.pth": f"{ROOT}\n".encode()})


def _write(folder, files):
    files[f"{INFO}/METADATA"] = METADATA.encode()
    files[f"{INFO}/WHEEL"] = WHEEL.encode()
    record = "".join(
        f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items()
    )
    files[f"{INFO}/RECORD"] = (record + f"{INFO}/RECORD,,\n").encode()
    name = f"conoscope-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    return name


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
