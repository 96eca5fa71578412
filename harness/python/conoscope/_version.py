"""The version, which is that of the command: tests compare them."""

__version__ = "0.1.0"
