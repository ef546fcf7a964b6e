"""Kyodai Mahjongg `.lay`: a version line, a line `NAME::CATEGORY`, then 5 layers of 20 rows of 34 half-tile cells.

A cell is `1` where a tile has its upper left corner, else `0`; line ends between cells mean nothing. The program was
written for Windows: a name that is not UTF-8 is read as Windows-1252.
"""

from __future__ import annotations

from collections.abc import Iterator

from levelgen.errors import Finding
from levelgen.imports.source import Found, Sheet, Source

LAYERS, ROWS, COLUMNS = 5, 20, 34
VERSIONS = ("Kyodai 3.0", "Kyodai 6.0")


def matches(source: Source) -> bool:
    """Whether the file begins as such a layout does."""
    return source.head.startswith(b"Kyodai ")


def read(source: Source) -> Iterator[Found | Finding]:
    """The one layout of the file.

    Raises:
        Malformed: the version is unknown, or there are too few or too many cells.
    """
    data = source.data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    skipped = len(data) - len(data.lstrip())
    lead = data.count(b"\n", 0, skipped)
    version, _, rest = data[skipped:].partition(b"\n")
    if version.strip().decode("ascii", "replace") not in VERSIONS:
        shown = version[:20].decode("ascii", "replace")
        raise source.stop("version", f"is of an unknown version, {shown!r}", lead + 1,
                          f"{' and '.join(VERSIONS)} are read")  # fmt: skip
    naming, _, cells = rest.partition(b"\n")
    try:
        text = naming.decode("utf-8")
    except UnicodeDecodeError:
        text = naming.decode("cp1252", "replace")
    sheet = Sheet(source, text.partition("::")[0].strip(), lead + 1)
    line, count, total = lead + 3, 0, LAYERS * ROWS * COLUMNS
    for byte in cells:
        if byte == 0x0A:
            line += 1
        elif byte in b" \t":
            continue
        elif byte not in b"01":
            raise source.stop("cell", f"{chr(byte)!r} is no cell", line, "write 0 or 1")
        elif count == total:
            raise source.stop("cells", f"has more than {total} cells", line,
                              "5 layers of 20 rows of 34 cells are meant")  # fmt: skip
        else:
            if byte == 0x31:
                layer, place = divmod(count, ROWS * COLUMNS)
                sheet.put(place % COLUMNS, place // COLUMNS, layer, line)
            count += 1
    if count < total:
        raise source.stop("cells", f"has {count} cells, not {total}", line, "the file may be truncated")
    yield from sheet.done()
