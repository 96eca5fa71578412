# SPDX-License-Identifier: Apache-2.0
"""Arrays on their way to the command: NumPy files in memory, which it maps."""

import os
import pathlib
import shutil
import tempfile

import numpy as np


def as_numpy(name, value):
    """The array as NumPy has it. Takes NumPy, PyTorch, JAX, pandas, lists, and whatever else has
    __array__ or DLPack. bfloat16 becomes float32.

    Raises ValueError, with the array's name: it holds no numbers, or lists of unequal length.
    """
    if hasattr(value, "detach"):  # PyTorch: perhaps on a graphics card, perhaps with a gradient
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            value = value.float()
        value = value.numpy()
    if not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
        value = np.from_dlpack(value)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if array.dtype.name == "bfloat16":  # of ml_dtypes, which JAX has
        array = array.astype(np.float32)
    if array.dtype.kind not in "fiub":
        raise ValueError(
            f"{name}: its dtype is {array.dtype}, which holds no numbers that can be scored"
        )
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    return array


def in_short(view):
    """A data class of arrays, with their shapes in place of their values."""
    parts = []
    for name, value in vars(view).items():
        if value is None:
            continue
        text = repr(value)
        if hasattr(value, "shape"):
            text = f"{' x '.join(map(str, value.shape))} {value.dtype}"
        elif isinstance(value, (list, tuple)):
            text = f"{type(value).__name__} of {len(value)}"
        parts.append(f"{name}={text}")
    return f"{type(view).__name__}({', '.join(parts)})"


class Folder:
    """A folder of .npy files, in memory where the system has room there; removed at the end."""

    def __init__(self, bytes_needed):
        place = None
        shared = "/dev/shm"
        if os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 2 * bytes_needed:
            place = shared
        self._folder = tempfile.TemporaryDirectory(prefix=f"conoscope-{os.getpid()}-", dir=place)
        self.path = pathlib.Path(self._folder.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def put(self, name, array):
        """Returns the path of the file."""
        path = self.path / f"{name}.npy"
        np.save(path, array, allow_pickle=False)
        return str(path)


def put_all(arrays):
    """(a Folder with these arrays, {name: path}); an array that is a path stays where it is."""
    files, held = {}, {}
    for name, value in arrays.items():
        if value is None:
            continue
        if isinstance(value, (str, os.PathLike)):
            files[name] = os.fspath(value)
        else:
            held[name] = as_numpy(name, value)
    folder = Folder(sum(array.nbytes for array in held.values()))
    try:
        for name, array in held.items():
            files[name] = folder.put(name, array)
    except BaseException:
        folder.__exit__()
        raise
    return folder, files
