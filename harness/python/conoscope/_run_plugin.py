"""Runs a process plugin, or says what would run it. The host starts it as a program: python
_run_plugin.py FILE. Nothing but the standard library may be missing here."""

import ast
import importlib.machinery
import importlib.metadata
import os
import pathlib
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
    its version and those of the packages that the sources import. Runs nothing of the plugin's."""
    out = [line("program", sys.executable)]
    own = str(pathlib.Path(__file__).resolve().parent)
    prefixes = [sys.prefix, sys.base_prefix, sys.exec_prefix]
    folders = [p for p in sys.path if p and os.path.realpath(p) != own and os.path.exists(p)]
    for folder in dict.fromkeys([*folders, *(p for p in prefixes if p != "/")]):
        out.append(line("folder", os.path.abspath(folder)))
    out.append(line("version", "python", "{}.{}.{}".format(*sys.version_info)))
    for name in sorted(_imported(pathlib.Path(content))):
        try:
            out.append(line("version", name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            pass  # the standard library, the plugin's own modules, or missing: then it says so itself
    with open(FROM_HOST, "wb") as host:
        host.writelines(out)


def _imported(content):
    """The packages that the sources import, by the names under which they are installed."""
    files = sorted(content.rglob("*.py")) if content.is_dir() else [content]
    modules = {"numpy"}
    for file in files:
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            continue  # said when it is run
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                modules.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules.add(node.module.split(".")[0])
    modules.discard("conoscope")
    try:
        known = importlib.metadata.packages_distributions()  # sklearn -> scikit-learn
    except AttributeError:  # before Python 3.10
        known = {}
    return {name for module in modules for name in known.get(module, [module])}


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
        if plain:
            sys.path.insert(0, folder)
        else:
            _import_from_source(os.path.abspath(folder))
        runpy.run_path(file if plain else folder, run_name="__main__")
        fault = f"{file}: ended without a call of conoscope.plugin.main()"
    except Exception as error:  # SystemExit ends the process: then it has ended by itself
        traceback.print_exc()
        fault = describe(error, file)
        if isinstance(error, ImportError):
            fault += f"; run by {sys.executable} {sys.version.split()[0]}"
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
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}{place}" if text else f"{type(error).__name__}{place}"


if __name__ == "__main__":
    if sys.argv[1] == "--about":
        about(sys.argv[2])
    else:
        run(sys.argv[1])
