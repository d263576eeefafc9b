"""The trace formats, one file each. A new one is a file here and its line in FORMATS."""

from __future__ import annotations

from collections.abc import Mapping

from cpol.runtime.simulate.traces.formats import (
    blktrace,
    csv,
    lcs,
    lirs,
    lis,
    log,
    msr,
    oraclegeneral,
    parquet,
    record,
    text,
    twitter,
    vscsi,
)
from cpol.runtime.simulate.traces.formats.format import Format

__all__ = ["FORMATS", "Format"]

FORMATS: Mapping[str, Format] = {
    module.FORMAT.name: module.FORMAT
    for module in (
        oraclegeneral,
        vscsi,
        lcs,
        lirs,
        lis,
        text,
        csv,
        twitter,
        msr,
        blktrace,
        log,
        record,
        parquet,
    )
}
"""In the order in which messages name them."""
