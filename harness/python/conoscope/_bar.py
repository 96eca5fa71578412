# SPDX-License-Identifier: Apache-2.0
"""Progress, where tqdm is installed."""

import contextlib
import re


@contextlib.contextmanager
def bar(wanted, unit):
    """A function that is shown each line of progress ("3/12 ok ..."), or None. The bar is drawn with
    the first of them: a mistake in the call is said without one."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        wanted = False
    if not wanted:
        yield None
        return
    with contextlib.ExitStack() as stack:
        shown = []

        def show(line):
            counted = re.match(r"(\d+)/(\d+) (.*)", line)
            if not counted:
                return
            if not shown:
                shown.append(stack.enter_context(tqdm(unit=unit, leave=False)))
            shown[0].total = int(counted[2])
            shown[0].set_postfix_str(counted[3], refresh=False)
            shown[0].update(int(counted[1]) - shown[0].n)

        yield show
