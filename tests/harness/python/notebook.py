# SPDX-License-Identifier: Apache-2.0
"""Runs a notebook's cells as Jupyter would, without Jupyter.

    notebook.py FILE     runs it in a folder of its own and writes what its cells show into it
"""

import ast
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile


def outputs_of(source, known, where):
    """Runs a cell; what it prints and what its last expression is, as a notebook keeps them."""
    tree = ast.parse(source, where)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, where, "exec"), known)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), where, "eval"), known)
    outputs = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        html = getattr(value, "_repr_html_", lambda: None)()
        if html:
            data["text/html"] = lines(html)
        outputs.append({"output_type": "display_data", "data": data, "metadata": {}})
    return outputs


def lines(text):
    return text.splitlines(keepends=True)


def run(notebook, where):
    """The notebook with the outputs that its cells have now, and what they leave behind."""
    known = {}
    altair = sys.modules.get("altair")
    sys.modules["altair"] = None  # the command's own pictures, whether Altair is there or not
    try:
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"] = outputs_of("".join(cell["source"]), known, where)
    finally:
        del sys.modules["altair"]
        if altair is not None:
            sys.modules["altair"] = altair
    return known


def main(path):
    path = pathlib.Path(path).resolve()
    notebook = json.loads(path.read_text())
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run(notebook, str(path))
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
