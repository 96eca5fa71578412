# SPDX-License-Identifier: Apache-2.0
"""The command, for tests of plugins in Python."""

import json
import os
import subprocess
import sys


def conoscope(*arguments, code=0, **environment):
    """Standard output and standard error of the command; a `code` of None allows any."""
    done = subprocess.run(
        [os.environ["CONOSCOPE"], *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={"CONOSCOPE_PYTHON": sys.executable, **os.environ, **environment},
    )
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done.stdout, done.stderr


def check(file, *arguments, code=0):
    """Verdicts and reasons by the name of the check."""
    out, _ = conoscope("plugin", "check", file, "--format", "json", *arguments, code=code)
    return {row["check"]: (row["verdict"], row["reason"] or "") for row in json.loads(out)}


def failed(file, *arguments):
    found = check(file, *arguments, code=3)
    return next((name, why) for name, (verdict, why) in found.items() if verdict == "FAIL")
