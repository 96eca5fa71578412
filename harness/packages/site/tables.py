#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of the docs that a command prints from the results that ship.

    tables.py CONOSCOPE           exits with 1 where a table is not what its command prints, and says where
    tables.py CONOSCOPE --write   puts it there

A table stands between marks, the first of which is the command, without the store:

    <!-- conoscope board quick --format md -->
    | explainer | ...
    <!-- end -->
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
TABLE = re.compile(r"(<!-- (conoscope [^\n]*) -->\n)(.*?)(<!-- end -->)", re.S)


def call(program, words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=False,
                          env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, cwd="/")


def printed(program, command, store):
    answer = call(program, [*shlex.split(command)[1:], "--store", store])
    if answer.returncode != 0:
        sys.exit(f"{command}: exit code {answer.returncode}: {answer.stderr.strip()}")
    return f"\n{answer.stdout}\n"  # blank lines: what reads Markdown then sees a table


def main(program, write=False):
    program = str(pathlib.Path(program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/published.db"  # read once: of a folder of texts that takes seconds
        answer = call(program, ["merge", "published", "--store", store])
        if answer.returncode != 0:
            sys.exit(f"the results that ship: {answer.stderr.strip()}")
        return check(program, store, write)


def check(program, store, write):
    stale = tables = 0
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")]):
        text = page.read_text()

        def table(match):
            nonlocal stale, tables
            tables += 1
            now = printed(program, match[2], store)
            if now != match[3]:
                stale += 1
                line = text.count("\n", 0, match.start()) + 1
                print(f"{page.relative_to(ROOT)}:{line}: not what `{match[2]}` prints"
                      + (": written" if write else "; `./dev docs --write` writes it"), file=sys.stderr)
            return match[1] + now + match[4]

        new = TABLE.sub(table, text)
        if write and new != text:
            page.write_text(new)
    print(f"{tables} tables, {stale} {'written' if write else 'stale'}")
    return 1 if stale and not write else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--write" in sys.argv[2:]))
