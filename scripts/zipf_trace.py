"""Write a trace of Zipf-distributed requests in the oracleGeneral format: zipf_trace.py FILE REQUESTS OBJECTS."""

import sys
from pathlib import Path

import numpy as np


def main(file: Path, requests: int, objects: int) -> None:
    """Write the trace: alpha is 1, and a fixed seed makes the file the same everywhere."""
    weights = np.cumsum(1.0 / np.arange(1, objects + 1))
    ids = np.searchsorted(weights, np.random.default_rng(1).random(requests) * weights[-1])
    records = np.zeros(requests, dtype=[("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")])
    records["time"] = np.arange(requests) // 1000
    records["id"] = np.random.default_rng(2).permutation(objects)[ids]
    records["size"] = 1
    records["next"] = -2
    records.tofile(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
