"""The container of an .xg file: a header, a picture, and an archive of files packed with zlib.

The layout follows the format description that XG's author published. Nothing is trusted: the
unpacked size is bounded, and a damaged index or checksum leads to a remark, not to a refusal.
"""

from __future__ import annotations

import struct
import zlib
from struct import unpack_from

from sixprime.protocols.formats.reading import MOST, Remarks, count
from sixprime.protocols.formats.record import BadMatchFile

MAGIC = b"RGMH"
MATCH, ROLLOUTS, COMMENTS = "temp.xg", "temp.xgr", "temp.xgc"

_HEADER = 8232  # bytes, before the picture
_TRAILER = 36
_ENTRY = 532  # a file in the index
_MOST_FILES = 16
_MOST_INDEX = _MOST_FILES * _ENTRY
_DAMAGED = (struct.error, zlib.error, IndexError)


def unpack(data: bytes, remarks: Remarks) -> dict[str, bytes]:
    """Return the files inside, by name; BadMatchFile if none can be read."""
    if data[:4] != MAGIC:
        raise BadMatchFile(0, "no XG file: it begins with other bytes")
    try:
        found = _indexed(data, remarks)
    except _DAMAGED:
        remarks.add(0, "the index of the file is damaged or missing")
        found = {}
    if MATCH not in found:
        found |= _first(data)
    if not found.get(MATCH):
        raise BadMatchFile(0, "damaged: no match can be unpacked from it")
    return found


def _indexed(data: bytes, remarks: Remarks) -> dict[str, bytes]:
    _, count, _, index_size, archive_size, compressed = unpack_from(
        "<IiiiiB", data, len(data) - _TRAILER
    )
    start = len(data) - _TRAILER - index_size - archive_size
    if min(index_size, archive_size, start) < 0 or not 0 < count <= _MOST_FILES:
        raise IndexError
    index = data[start + archive_size : len(data) - _TRAILER]
    index = _inflated(index, _MOST_INDEX) if compressed else index
    found = {}
    for at in range(0, count * _ENTRY, _ENTRY):
        _, packed, begin, checksum, stored = unpack_from("<iiiIB", index, at + 512)
        if begin < 0 or packed < 0:
            raise IndexError
        name = index[at + 1 : at + 1 + index[at]].decode("latin-1").lower()
        raw = data[start + begin : start + archive_size][:packed]
        found[name] = raw if stored else _inflated(raw, MOST["bytes unpacked"])
        if zlib.crc32(found[name]) != checksum:
            remarks.add(0, f"the checksum of {name} is wrong: the file is damaged")
    return found


def _first(data: bytes) -> dict[str, bytes]:
    """Return the first file of the archive, the match, without the index."""
    try:
        (picture,) = unpack_from("<i", data, 20)
        return {MATCH: _inflated(data[_HEADER + max(picture, 0) :], MOST["bytes unpacked"])}
    except _DAMAGED:
        return {}


def _inflated(raw: bytes, most: int) -> bytes:
    """Unpack as much as possible; TooLarge if that is more than in any real file."""
    machine = zlib.decompressobj()
    out = bytearray()
    for at in range(0, len(raw), 4096):
        piece = raw[at : at + 4096]
        try:
            out += machine.decompress(piece, most + 1 - len(out))
        except zlib.error:
            if not out:
                raise
            break
        if len(out) > most or machine.eof:
            break
    count("bytes unpacked", len(out))
    return bytes(out)
