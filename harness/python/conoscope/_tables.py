"""Tables of the command's answers."""


def frame(rows):
    """A pandas.DataFrame where pandas is installed, else the rows as they are, a dict each."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
