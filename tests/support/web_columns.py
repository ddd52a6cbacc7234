"""The columns of a document, unpacked as a page does it."""

import numpy as np

DTYPES = {"f32": "<f4", "f64": "<f8", "u8": "u1"}


def unpacked(header, raw):
    """Return the columns that a header describes, of their inflated bytes."""
    columns = []
    for spec in header["columns"]:
        kind = np.dtype(DTYPES[spec["type"]])
        size = spec["length"] * kind.itemsize
        shuffled = np.frombuffer(raw[:size], np.uint8).reshape(kind.itemsize, -1)
        columns.append(np.ascontiguousarray(shuffled.T).view(kind).ravel())
        raw = raw[size:]
    assert not raw
    return columns
