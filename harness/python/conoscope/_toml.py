# SPDX-License-Identifier: Apache-2.0
"""Run files from Python: dicts, lists, texts, numbers and truth values as TOML."""

import math
import os

import numpy as np


def dumps(table):
    """The text of a run file; lists of dicts become [[tables]].

    Raises TypeError, with the key: a value that TOML does not have.
    """
    plain, tables = [], []
    for key, value in table.items():
        if isinstance(value, (list, tuple)) and value and all(isinstance(v, dict) for v in value):
            for entry in value:
                tables.append(f"\n[[{_key(key)}]]")
                tables += [f"{_key(k)} = {_value(v, f'{key}.{k}')}" for k, v in entry.items()]
        elif isinstance(value, dict):
            tables.append(f"\n[{_key(key)}]")
            tables += [f"{_key(k)} = {_value(v, f'{key}.{k}')}" for k, v in value.items()]
        else:
            plain.append(f"{_key(key)} = {_value(value, key)}")
    return "\n".join(plain + tables) + "\n"


def _key(key):
    word = key.replace("_", "").replace("-", "")
    return key if word.isascii() and word.isalnum() else _text(key)


def _text(text):
    out = ""
    for c in text:
        if c in '"\\':
            out += "\\" + c
        else:
            out += c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}"
    return f'"{out}"'


def _value(value, key):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise TypeError(f"{key}: {value} has no place in a run file")
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return _text(os.fspath(value))
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(_value(item, key) for item in value) + "]"
    if isinstance(value, dict):
        items = (f"{_key(k)} = {_value(v, f'{key}.{k}')}" for k, v in value.items())
        return "{ " + ", ".join(items) + " }"
    raise TypeError(f"{key}: a run file has no {type(value).__name__}")
