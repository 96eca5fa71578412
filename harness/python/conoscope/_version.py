# SPDX-License-Identifier: Apache-2.0
"""The version, which is that of the command: tests compare them."""

__version__ = "1.0.0"
