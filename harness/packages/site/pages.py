# SPDX-License-Identifier: Apache-2.0
"""What the site has beside docs/: pages that lie elsewhere in the tree (README, ARCHITECTURE ...), the tutorial
made from its notebook, the reference of Python made from docstrings, links to sources as text, and in board/ the
results that ship, as the program in the environment variable CONOSCOPE writes them."""

import ast
import inspect
import json
import os
import pathlib
import posixpath
import re
import runpy
import shutil
import subprocess

from mkdocs.structure.files import File
from mkdocs.structure.nav import Link

ROOT = pathlib.Path(__file__).resolve().parents[3]
ELSEWHERE = {
    "index.md": "README.md",
    "architecture.md": "ARCHITECTURE.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": ".github/CONTRIBUTING.md",
}
MADE = {"tutorial.md": "docs/tutorial.ipynb"}
BOARD = "board/index.html"
dead_links = runpy.run_path(pathlib.Path(__file__).with_name("links.py"))["dead_links"]
PYTHON = ["conoscope", "conoscope.plugin", "conoscope.torch"]


def on_config(config):
    for decision in sorted((ROOT / "docs/adr").glob("*.md")):
        config["nav"][-1]["Design"].append(f"adr/{decision.name}")
    return config


def on_files(files, config):
    for page in (*ELSEWHERE, *MADE, "reference/python.md", "reference/cpp.md"):
        files.append(File(page, config["docs_dir"], config["site_dir"], False))
    return files


def on_nav(nav, config, files):
    """The board is no page of ours, and a link in mkdocs.yml to what is no page is an error."""
    nav.items.insert(1, Link("Leaderboards", BOARD))
    return nav


def on_page_read_source(page, config):
    name = page.file.src_uri
    if name in ELSEWHERE:
        return (ROOT / ELSEWHERE[name]).read_text()
    if name in MADE:
        return of_notebook(ROOT / MADE[name])
    if name == "reference/python.md":
        return of_python()
    if name == "reference/cpp.md":
        return ("# C++\n\nWhat a plugin in C++ or C sees, made from the headers: "
                "<a href='../cpp/index.html'>the sdk's classes and functions</a>.\n")
    return None


def on_page_markdown(markdown, page, config, files):
    """Links are written as they are right in the tree: from the place of the file in it."""
    source = ELSEWHERE.get(page.file.src_uri, MADE.get(page.file.src_uri, "docs/" + page.file.src_uri))
    here = posixpath.dirname(source)
    page_of = {there: page for page, there in {**ELSEWHERE, **MADE}.items()}

    def link(match):
        text, target = match[1], match[2]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, _, part = target.partition("#")
        path = posixpath.normpath(posixpath.join(here, path))
        to = page_of.get(path, path.removeprefix("docs/") if path.startswith("docs/") else None)
        if to is None or files.get_file_from_path(to) is None:
            return f"{text.strip('`')} (`{path}`)" if text.strip("`") != path else f"`{path}`"
        relative = posixpath.relpath(to, posixpath.dirname(page.file.src_uri) or ".")
        return f"[{text}]({relative}{'#' + part if part else ''})"

    out, fenced = [], False
    for line in markdown.split("\n"):
        fenced ^= line.lstrip().startswith("```")
        out.append(line if fenced else re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", link, line))
    images = "\n".join(out)
    return re.sub(r"(!\[[^\]]*\])\(docs/", r"\1(", images) if here == "" else images


def of_notebook(path):
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {"text/plain": output.get("text", "")})
            for kind in ("image/svg+xml", "text/html", "text/plain"):
                if kind in data:
                    shown = "".join(data[kind])
                    parts.append(f"```text\n{shown}\n```" if kind == "text/plain" else shown)
                    break
    return "\n\n".join(parts)


def of_python():
    """Names, signatures and docstrings, from the sources: nothing is imported."""
    parts = ["# Python"]
    for module in PYTHON:
        tree = parsed(module)
        parts += [f"## `{module}`", ast.get_docstring(tree) or ""]
        for name, node in public(tree):
            parts += describe(name, node, "###")
    return "\n\n".join(parts)


def parsed(module):
    path = ROOT / "harness/python" / module.replace(".", "/")
    return ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text())


def public(tree):
    """The definitions of a module, and those that it takes from the package's private modules."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("conoscope._"):
            there = {one.name: one for one in parsed(node.module).body if hasattr(one, "name")}
            for alias in node.names:
                if alias.name in there and not alias.name.startswith("_"):
                    yield alias.asname or alias.name, there[alias.name]
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node.name, node


def describe(name, node, level):
    is_class = isinstance(node, ast.ClassDef)
    head = f"class {name}" if is_class else f"{name}({ast.unparse(node.args)})"
    yield f"{level} `{name}`"
    yield f"```python\n{head}\n```"
    text = ast.get_docstring(node)
    if text:
        yield f"```text\n{inspect.cleandoc(text)}\n```"
    if is_class:
        for one in node.body:
            if isinstance(one, ast.FunctionDef) and not one.name.startswith("_") and ast.get_docstring(one):
                yield from describe(f"{name}.{one.name}", one, level + "#")


def on_post_build(config):
    if shutil.which("doxygen") is None:
        raise RuntimeError("./dev docs needs doxygen")
    settings = (pathlib.Path(__file__).with_name("Doxyfile")).read_text()
    out = pathlib.Path(config["site_dir"]) / "cpp"
    settings += f"\nINPUT = {ROOT}/harness/sdk/include\nSTRIP_FROM_PATH = {ROOT}/harness/sdk/include\nHTML_OUTPUT = {out}\n"
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)
    write_board(out.parent / posixpath.dirname(BOARD))
    dead = dead_links(pathlib.Path(config["site_dir"]))
    if dead:
        raise RuntimeError("links that lead nowhere:\n" + "\n".join(dead))


def write_board(folder):
    program = os.environ.get("CONOSCOPE")
    if not program:
        raise RuntimeError("CONOSCOPE names no program: ./dev docs sets it to the one that it builds")
    subprocess.run([program, "site", "published", "-o", folder, "--docs", "../index.html"], check=True)
