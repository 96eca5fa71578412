# SPDX-License-Identifier: Apache-2.0
"""Runs a process plugin, or says what would run it. The host starts it as a program: python
_run_plugin.py FILE. Nothing but the standard library may be missing here."""

import ast
import contextlib
import hashlib
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import pathlib
import re
import runpy
import sys
import traceback

FROM_HOST, TO_HOST = 3, 4  # the two descriptors; see docs/process-plugins.md
INTERNAL = 6


def line(*fields):
    """One message: fields with tabs between, and escapes for what would end a field or the line."""
    texts = (str(f).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n") for f in fields)
    return ("\t".join(texts) + "\n").encode("utf-8", "replace")


def about(content):
    """Reports, on descriptor 3, what runs a plugin: the program, the folders that it imports from,
    its version and those of the packages that it needs. Runs nothing of the plugin's."""
    out = [line("program", sys.executable)]
    own = str(pathlib.Path(__file__).resolve().parent)
    prefixes = [sys.prefix, sys.base_prefix, sys.exec_prefix]
    sys.path[:] = [p for p in sys.path if os.path.realpath(p) != own]  # our torch.py is not theirs
    folders = [p for p in sys.path if p and os.path.exists(p)]
    for folder in dict.fromkeys([*folders, *(p for p in prefixes if p != "/")]):
        out.append(line("folder", os.path.abspath(folder)))
    out.append(line("version", "python", "{}.{}.{}".format(*sys.version_info)))
    packages = _Packages(pathlib.Path(content), folders)
    for name, version in sorted(packages.versions.items()):
        out.append(line("version", name, version))
    with open(FROM_HOST, "wb") as host:
        host.writelines(out)


class _Packages:
    """What the sources import, and what that needs in turn, by the names under which it is installed.
    The version of a package says its build, too, where its installer wrote down the hashes of its
    files; what nobody has installed (on PYTHONPATH, editable) is told by its code."""

    def __init__(self, content, folders):
        self.versions = {}
        self._content = content
        self._folders = folders
        try:
            self._owners = importlib.metadata.packages_distributions()  # sklearn -> scikit-learn
        except AttributeError:  # before Python 3.10
            self._owners = {}
        self._modules = {}
        for module, owners in self._owners.items():
            for owner in owners:
                self._modules.setdefault(_plain(owner), []).append(module)
        self._seen = set()
        self._left = {"numpy", *_imported(content)}
        while self._left:
            module = self._left.pop()
            if module not in self._seen:
                self._seen.add(module)
                self._add(module)

    def _add(self, module):
        if self._content.is_dir() and self._place(module, [str(self._content)]):
            return None  # the plugin's own, and read already
        place = self._place(module, self._folders)
        if module == "conoscope" or (place and str(place.parent) in _STANDARD_LIBRARY):
            return None
        for owner in self._owners.get(module, [module]):
            try:
                distribution = importlib.metadata.distribution(owner)
            except importlib.metadata.PackageNotFoundError:
                continue
            if _is_installed(distribution, place):
                self._add_installed(distribution)
                place = None
            else:
                self._need(distribution)
        if place:
            self._add_sources(module, place)

    def _add_installed(self, distribution):
        build = _build(distribution)
        name = distribution.metadata["Name"]
        self.versions[name] = distribution.version + ("/" + build if build else "")
        self._need(distribution)

    def _need(self, distribution):
        for requirement in distribution.requires or []:
            name, _, marker = requirement.partition(";")
            if "extra" in marker:
                continue
            name = re.match(r"[\w.-]+", name.strip()).group()
            self._left.update(self._modules.get(_plain(name), [name]))

    def _add_sources(self, module, place):
        """The hash over all code in and below a place, and what that imports."""
        files = sorted(f for f in place.rglob("*") if f.suffix in _CODE) if place.is_dir() else [place]
        hashed = hashlib.sha256()
        for file in files:
            try:
                content = file.read_bytes()
            except OSError:
                continue  # said when it is run
            name = file.relative_to(place.parent).as_posix()
            hashed.update(f"{len(name)} {name} {len(content)} ".encode() + content)
        version = hashed.hexdigest()[:16]
        for owner in self._owners.get(module, [module]):
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                version = importlib.metadata.version(owner) + "/" + version
                break
        self.versions[module] = version
        self._left.update(_imported(place))

    def _place(self, module, folders):
        """The file or folder of a module, which is not imported."""
        try:
            spec = importlib.machinery.PathFinder.find_spec(module, folders)
            if spec is None and folders is self._folders:
                spec = importlib.util.find_spec(module)  # what is editable has finders of its own
        except (ImportError, ValueError, AttributeError):
            return None
        if spec is None:
            return None
        if spec.submodule_search_locations:
            return pathlib.Path(next(iter(spec.submodule_search_locations)))
        return pathlib.Path(spec.origin) if spec.has_location else None


_CODE = {".py", ".so"}
_STANDARD_LIBRARY = [os.path.dirname(os.__file__) + end for end in ("", "/lib-dynload")]


def _plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_installed(distribution, place):
    """False of what lies elsewhere than the installer's notes on it, or is nobody's work but the
    user's: its version says nothing about its content."""
    if place is None:
        return True
    beside_notes = os.path.realpath(distribution.locate_file("")) == str(place.resolve().parent)
    by_installer = place.parent.name in ("site-packages", "dist-packages")
    return beside_notes and (by_installer or bool(_build(distribution)))


def _build(distribution):
    """Over the hashes of the code that the installer wrote down; empty: it did not."""
    lines = (distribution.read_text("RECORD") or "").splitlines()
    code = sorted(text for text in lines if re.search(r"\.(py|so)[\d.]*\"?,sha256=", text))
    return hashlib.sha256("\n".join(code).encode()).hexdigest()[:8] if code else ""


def _imported(content):
    """The top-level modules that sources import."""
    files = sorted(content.rglob("*.py")) if content.is_dir() else [content]
    modules = set()
    for file in files:
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError, OSError):
            continue  # said when it is run
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                modules.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules.add(node.module.split(".")[0])
    return modules


class _FromSource(importlib.machinery.SourceFileLoader):
    """What Python has kept in __pycache__ is no part of a plugin's hash, and may be of other sources."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _import_from_source(folder):
    """From now on modules in and below the folder are never loaded from bytecode."""
    machinery = importlib.machinery
    finder = machinery.FileFinder.path_hook(
        (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES),
        (_FromSource, machinery.SOURCE_SUFFIXES),
    )

    def hook(path):
        if not os.path.join(os.path.abspath(path), "").startswith(os.path.join(folder, "")):
            raise ImportError(f"{path} is not in {folder}")  # then the next hook is asked
        return finder(path)

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()


def run(file):
    """Runs the file, whose last line gives itself over to conoscope.plugin.main()."""
    sys.path.pop(0)  # the folder of this file
    sys.argv = [file]
    os.set_inheritable(FROM_HOST, False)
    os.set_inheritable(TO_HOST, False)
    try:
        plain = os.path.basename(file) != "__main__.py"
        folder = os.path.dirname(file)
        if not plain:
            _import_from_source(os.path.abspath(folder))
        runpy.run_path(file if plain else folder, run_name="__main__")
        fault = f"{file}: ended without a call of conoscope.plugin.main()"
    except Exception as error:  # SystemExit ends the process: then it has ended by itself
        traceback.print_exc()
        fault = describe(error, file)
        if isinstance(error, ImportError):
            fault += (
                f"; run by {sys.executable} {sys.version.split()[0]}: CONOSCOPE_PYTHON, or python = ... "
                "in the run file, names another Python"
            )
    os.write(TO_HOST, line("fault", INTERNAL, fault))


def describe(error, file):
    """"ValueError: k is 0 (my_ica.py, line 12)": the place is the last one in the plugin's sources."""
    folder = os.path.dirname(os.path.abspath(file))
    place = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        name = os.path.abspath(frame.f_code.co_filename)
        if name.startswith(folder + os.sep):
            place = f" ({os.path.relpath(name, folder)}, line {number})"
    if isinstance(error, SyntaxError) and error.filename:
        place = f" ({os.path.basename(error.filename)}, line {error.lineno})"
    if isinstance(error, ImportError) and os.path.basename(file) != "__main__.py":
        module = os.path.join(folder, (error.name or "").split(".")[0])
        if os.path.isfile(module + ".py") or os.path.isdir(module):
            place += (
                "; what lies beside a single file is no part of the plugin: "
                "make a folder of them, with a __main__.py"
            )
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}{place}" if text else f"{type(error).__name__}{place}"


if __name__ == "__main__":
    if sys.argv[1] == "--about":
        about(sys.argv[2])
    else:
        run(sys.argv[1])
