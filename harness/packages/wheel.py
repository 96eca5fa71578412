#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Packs installations as wheels: the command, its plugins and the libraries that they need.

    wheel.py OUT NAME=PREFIX...     as wheels conoscope=build/wheel/conoscope conoscope_torch=...

PREFIX is what `cmake --install` left of a component. In a wheel the package `conoscope` is the prefix:
conoscope/bin, conoscope/lib, conoscope/share. Shared libraries that a system may lack lie in
conoscope/lib/conoscope/bundled and are found by relative run paths; nothing is loaded into Python.
The other wheels add plugins to these folders. The tag says how new a glibc has to be, by the symbols in use.

Libraries that bring dozens of others are the system's where it has them (SYSTEM).
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "harness/python"))
import build_wheel  # noqa: E402

# What PEP 600 lets a wheel expect.
EXPECTED = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|z))\.so\b.*")
SYSTEM = re.compile(r"lib(hdf5|torch|c10|opencv)")
BUNDLED = pathlib.PurePath("lib/conoscope/bundled")
SUMMARIES = {
    "conoscope": "Puts concept-based explanations of neural networks to the test",
    "conoscope_torch": "Models that conoscope trains with libtorch, for systems that have Debian 12's libtorch",
    "conoscope_onnx": "Networks in ONNX files for conoscope, for systems that have Debian 12's OpenCV",
}


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def elf_files(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def needed(path):
    return re.findall(r"^\s*NEEDED\s+(\S+)", output_of("objdump", "-p", path), re.M)


def places(path):
    """Where the loader finds what the file needs, and what that needs."""
    answer = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    return dict(re.findall(r"^\s*(\S+) => (/\S+) \(", answer, re.M))


def bundle(folder):
    """Copies the libraries that its programs need, and lets them be found there."""
    wanted, seen = list(elf_files(folder)), set()
    while wanted:
        path = wanted.pop()
        found = places(path)
        for name in needed(path):
            if name in seen or EXPECTED.match(name) or SYSTEM.match(name):
                continue
            seen.add(name)
            if name not in found:
                sys.exit(f"{path} needs {name}, which this machine does not have")
            if pathlib.Path(found[name]).is_relative_to(folder):
                continue
            (folder / BUNDLED).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(found[name], folder / BUNDLED / name)
            wanted.append(folder / BUNDLED / name)
    for path in elf_files(folder):
        if not needed(path):
            continue  # static
        own = output_of("patchelf", "--print-rpath", path).strip().split(":")
        own = [one for one in own if one.startswith("$ORIGIN")]
        own.append("$ORIGIN/" + os.path.relpath(folder / BUNDLED, path.parent))
        output_of("patchelf", "--set-rpath", ":".join(dict.fromkeys(own)), path)


def tag(folder):
    """manylinux of the newest symbol of glibc. Refuses a libstdc++ newer than Debian 12's."""
    newest = {"GLIBC": (2, 17), "GLIBCXX": (3, 4)}
    for path in elf_files(folder):
        for family, version in re.findall(r"\b(GLIBC|GLIBCXX)_([\d.]+)\b", output_of("objdump", "-p", path)):
            newest[family] = max(newest[family], tuple(map(int, version.split("."))))
    if newest["GLIBCXX"] > (3, 4, 30):
        sys.exit(f"libstdc++ is used up to GLIBCXX_{newest['GLIBCXX']}: build with Debian 12's g++")
    return "manylinux_{}_{}_{}".format(*newest["GLIBC"][:2], os.uname().machine)


def contents(folder, name):
    """The files of the wheel by their names in it: bytes, and whether they are programs."""
    files = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        where = path.relative_to(folder)
        # Man pages and completion belong to the environment, not to the package.
        data = where.parts[:2] in {("share", part) for part in ("man", "bash-completion", "zsh", "fish")}
        to = f"{build_wheel.stem(name)}.data/data/{where}" if data else f"conoscope/{where}"
        files[to] = path.read_bytes(), os.access(path, os.X_OK)
    return files


def in_other_wheels(packed):
    """What `conoscope plugin list` says of plugins that another wheel brings."""
    lines = ""
    for name, prefix in packed.items():
        plugins = sorted({path.stem for path in pathlib.Path(prefix).rglob("*plugins/*.so")})
        if name != "conoscope" and plugins:
            lines += f"{', '.join(plugins)}: in the wheel {name}, {SUMMARIES[name].split(', ')[-1]}\n"
    return lines.encode()


def main(out, *packed):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    packed = dict(one.split("=", 1) for one in packed)
    for name, prefix in packed.items():
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "prefix"
            shutil.copytree(prefix, folder, symlinks=False)
            bundle(folder)
            files = contents(folder, name)
            scripts = {}
            if name == "conoscope":
                files |= build_wheel.package_files()
                left_out = "conoscope/share/conoscope/left_out.txt"
                files[left_out] = files[left_out][0] + in_other_wheels(packed), False
                scripts["conoscope"] = "conoscope._command:main"
            wheel = build_wheel.write_wheel(
                out, name, SUMMARIES[name], files, tag(folder), scripts,
                requires=["numpy"] if name == "conoscope" else [f"conoscope=={build_wheel.VERSION}"])
        print(f"{out / wheel}: {(out / wheel).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
