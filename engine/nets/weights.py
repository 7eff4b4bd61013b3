"""Network files: written with their provenance, verified when read.

A file is a plain .npz of arrays (nothing in it is executed), called brain-<12 hex of its
sha256>.npz, or races-<hex>.npz for the net of one side of a race; a .json of the same name beside
it says where it came from.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import struct
import tokenize
import zipfile
import zlib
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.bearoff import databases as bearoff
from sixprime.engine.bearoff import leaving
from sixprime.engine.bearoff.files import BadDatabase
from sixprime.engine.kernels.bearoff.ranks import HOME
from sixprime.engine.kernels.cube import CONTACT_EFFICIENCY
from sixprime.engine.kernels.evaluation import PAIR, Brain, aligned
from sixprime.engine.kernels.inputs import COUNTS, PHASES, PLACES, ROWS
from sixprime.engine.kernels.machine.vectors import LANES, ROW_LANES, SMALL
from sixprime.engine.kernels.network import JUDGED, LIFE, OUTPUTS, Net, compact
from sixprime.engine.kernels.races import FIGURES, LEARNED, SIDE_TAILS
from sixprime.engine.nets.headroom import within_reach
from sixprime.engine.system.errors import InputError
from sixprime.engine.system.wholefiles import read_whole, write_json, written_whole

VERSION = 3
SINGLE_TAIL = 2  # the version before: no axis for phases
SHIPPED = "sixprime.engine.data.weights"
LARGEST = 64_000_000  # bytes, packed or not; the nets that ship have 4 and 5 million
# the errors of zipfile, its decompressors and numpy at damaged files
_UNREADABLE = (
    OSError, ValueError, EOFError, LookupError, RuntimeError, TypeError, SyntaxError, MemoryError,
    OverflowError, struct.error, tokenize.TokenError, zipfile.BadZipFile, zlib.error,
    lzma.LZMAError,
)  # fmt: skip


class Nets(NamedTuple):
    contact: Net
    race: Net
    pruner: Net


class BadWeights(InputError):
    """The file is not one of our networks; the text is one line that says why."""


def save_brain(folder: Path, nets: Nets, provenance: dict[str, Any]) -> Path:
    """Write both files and return the path of the .npz."""
    arrays = {
        f"{part}.{name}": array
        for part in Nets._fields
        for name, array in getattr(nets, part)._asdict().items()
    }
    return _save(folder, "brain", arrays, provenance)


def save_sides(folder: Path, sides: Net, provenance: dict[str, Any]) -> Path:
    """Write both files of the net of one side of a race, and return the path of the .npz."""
    arrays = {f"side.{name}": array for name, array in sides._asdict().items()}
    return _save(folder, "races", arrays, provenance)


def _save(folder: Path, kind: str, arrays: dict[str, Any], provenance: dict[str, Any]) -> Path:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, version=np.array(VERSION), **arrays)
    data = buffer.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{kind}-{digest[:12]}.npz"
    with written_whole(path) as file:
        file.write(data)
    note = {"sha256": digest, "version": VERSION, **provenance}
    write_json(path.with_suffix(".json"), note, indent=1)
    return path


def load_nets(path: Path | None = None) -> Nets:
    """Read the nets of a file, or the nets that ship; BadWeights if it is no network file.

    The name of the file that ships has to match its content.
    """
    path, arrays, number = _opened(path, "brain")
    if number == SINGLE_TAIL:
        arrays = {
            name: array if name.endswith((".table", ".bias")) else array[np.newaxis]
            for name, array in arrays.items()
        }
    knows_life = "contact.b3" in arrays and arrays["contact.b3"].shape[-1:] == (JUDGED,)
    outputs = {"contact": JUDGED if knows_life else OUTPUTS}
    nets = {
        part: _net(path, part, arrays, (ROWS, outputs.get(part, OUTPUTS))) for part in Nets._fields
    }
    if arrays:
        raise BadWeights(f"{path}: unknown array {min(arrays)}")
    return Nets(**nets)


def load_sides(path: Path | None = None) -> Net:
    """Read the net of one side of a race as `load_nets` does."""
    path, arrays, _ = _opened(path, "races")
    net = _net(path, "side", arrays, (PLACES * COUNTS, LEARNED * FIGURES))
    if arrays:
        raise BadWeights(f"{path}: unknown array {min(arrays)}")
    if len(net.bias) % ROW_LANES or len(net.b1) != SIDE_TAILS:
        raise BadWeights(f"{path}: side: {len(net.bias)} units and {len(net.b1)} tails")
    return net


def _opened(path: Path | None, kind: str) -> tuple[Path, dict[str, NDArray[Any]], int]:
    """Return the path, the arrays and the version of a file, or of the shipped file."""
    ships = path is None
    path = shipped(kind) if path is None else path
    try:
        data = _read_limited(path)
        is_whole = not ships or path.stem == f"{kind}-{hashlib.sha256(data).hexdigest()[:12]}"
        arrays = _arrays(data) if is_whole else {}
    except FileNotFoundError as error:
        raise BadWeights(f"{path}: no such file") from error
    except _UNREADABLE as error:
        why = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise BadWeights(f"{path}: not a readable .npz file ({why})") from error
    if not is_whole:
        raise BadWeights(f"{path}: damaged, or not the file that was installed; install again")
    version = arrays.pop("version", None)
    number = None
    if version is not None and version.shape == () and version.dtype.kind in "iu":
        number = int(version)
    if number not in (SINGLE_TAIL, VERSION):
        raise BadWeights(f"{path}: version {version} of the format, this program reads {VERSION}")
    return path, arrays, number


def _read_limited(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        raise ValueError("not a file")
    if path.stat().st_size > LARGEST:
        raise ValueError(f"larger than {LARGEST:,} bytes")
    return path.read_bytes()


def _arrays(data: bytes) -> dict[str, NDArray[Any]]:
    """Read as numpy.load does, but a header cannot make it take memory for absent numbers."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        members = file.infolist()
        if sum(member.file_size for member in members) > LARGEST:
            raise ValueError(f"larger than {LARGEST:,} bytes")
        return {
            member.filename.removesuffix(".npy"): _array(file.read(member)) for member in members
        }


def _array(data: bytes) -> NDArray[Any]:
    stream = io.BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array in a format that numpy.savez does not write")
    shape, turned, kind = np.lib.format.read_array_header_1_0(stream)
    if kind.hasobject:
        raise ValueError("objects, not numbers")
    flat = np.frombuffer(data, kind, offset=stream.tell())
    return flat.reshape(shape, order="F" if turned else "C").copy()


def brain_of(nets: Nets, databases: bool = True, sides: Net | None = None) -> Brain:
    """Join the nets with the bearoff databases (built at first use), or with empty ones.

    Without `sides` the brain takes the shipped net of one side of a race, and a larger database
    beside it; another net judges all sides by itself.
    """
    for name, net in nets._asdict().items():
        if len(net.bias) % ROW_LANES:
            raise BadWeights(f"{name}: {len(net.bias)} units, expected a multiple of {ROW_LANES}")
        tails = (1, PHASES) if name == "contact" else (1,)
        if len(net.b1) not in tails:
            raise BadWeights(
                f"{name}: {len(net.b1)} tails, expected {' or '.join(map(str, tails))}"
            )
    pruner = nets.pruner
    sizes = len(pruner.bias), pruner.b1.shape[1], pruner.b2.shape[1]
    if sizes != (ROW_LANES, SMALL, SMALL):
        raise BadWeights(f"pruner: layers of {sizes} units, expected {(ROW_LANES, SMALL, SMALL)}")
    living = with_life(nets.contact)
    contact, race = (_aligned(compact(within_reach(net))) for net in (living, nets.race))
    side = _shipped_sides() if sides is None else laid_out(sides)
    pruner = _aligned(within_reach(pruner))
    one, two = _databases() if databases else bearoff.EMPTY
    far = _database_of_sides() if databases and sides is None else bearoff.EMPTY[0]
    return Brain(
        contact, race, pruner, side,
        one.tails, one.gammon_tails, one.binomials,
        two.words, two.binomials,
        leaving.tails(), *far, np.zeros(3, np.int64),
    )  # fmt: skip


@lru_cache(maxsize=1)
def _databases() -> tuple[bearoff.OneSidedTables, bearoff.TwoSidedTables]:
    return bearoff.one_sided().tables(), bearoff.two_sided().tables()


@lru_cache(maxsize=1)
def _database_of_sides() -> bearoff.OneSidedTables:
    """Return the larger database that stands beside the shipped net of a side."""
    return bearoff.one_sided(bearoff.SIDE_POINTS).tables()


@lru_cache(maxsize=1)
def _shipped_sides() -> Net:
    return laid_out(load_sides())


class Named(NamedTuple):
    """Files of bearoff databases of one's own."""

    one_sided: str | None = None
    two_sided: str | None = None


NONE_NAMED = Named()


def with_databases(brain: Brain, named: Named) -> Brain:
    """Return the brain with bearoff databases of one's own; BadDatabase if they are of no use."""
    return brain if named == NONE_NAMED else reaching(brain, *opened(named))


def reaching(
    brain: Brain,
    one: bearoff.OneSidedDatabase | None = None,
    two: bearoff.TwoSidedDatabase | None = None,
) -> Brain:
    """Return the brain with databases that reach further than its own."""
    points, pair = HOME, (HOME, PAIR)
    if one is not None:
        points = one.kind.points
    if one is not None and points > brain.far_binomials.shape[1] - 2:
        far = one.tables()
        brain = brain._replace(
            far_tails=far.tails, far_gammon_tails=far.gammon_tails, far_binomials=far.binomials
        )
    if two is not None:
        pair, (words, binomials) = (two.kind.points, two.kind.checkers), two.tables()
        brain = brain._replace(words=words.copy(), word_binomials=binomials)
    return brain._replace(reach=np.array([points, *pair], np.int64))


@lru_cache(maxsize=4)
def opened(named: Named) -> tuple[bearoff.OneSidedDatabase | None, bearoff.TwoSidedDatabase | None]:
    """Open databases to play with; BadDatabase if one cannot be used for that."""
    one = two = None
    try:
        if named.one_sided is not None:
            one = bearoff.OneSidedDatabase.open(Path(named.one_sided))
        if named.two_sided is not None:
            two = bearoff.TwoSidedDatabase.open(Path(named.two_sided))
    except OSError as error:
        raise BadDatabase(f"{error.filename}: {error.strerror}") from error
    if one is not None and (one.kind.normal or not one.kind.gammons or one.kind.points < HOME):
        raise BadDatabase(f"{one.name}: {HOME} points or more with gammon distributions are needed")
    if two is not None and (
        not two.kind.cubeful or two.kind.points < HOME or two.kind.checkers < PAIR
    ):
        raise BadDatabase(
            f"{two.name}: {HOME} points and {PAIR} checkers or more, cubeful, are needed"
        )
    return one, two


def with_life(net: Net) -> Net:
    """Return the net, if it says nothing of the cube's life with CONTACT_EFFICIENCY for it."""
    if net.b3.shape[1] >= JUDGED:
        return net
    life = ((0, 0), (0, JUDGED - LIFE))
    return net._replace(
        w3=np.pad(net.w3, ((0, 0), *life)),
        b3=np.pad(net.b3, life, constant_values=CONTACT_EFFICIENCY),
    )


def without_life(net: Net) -> Net:
    """Return the net without the cube's life, and without units that only speak of that."""
    chances = net.w3[:, :, :LIFE]
    used = np.abs(chances).max((0, 2)) > 0.0
    if net.w3.shape[2] < JUDGED or not used.any():
        return net
    return net._replace(
        w2=net.w2[:, :, used], b2=net.b2[:, used], w3=chances[:, used], b3=net.b3[:, :LIFE]
    )


def laid_out(sides: Net) -> Net:
    """Return the net of one side of a race as the kernels read it: small, so not compact."""
    return _aligned(within_reach(sides), LANES)


def _aligned(net: Net, lanes: int = SMALL) -> Net:
    """Return a copy aligned for vector loads, its last layer as wide as some vectors."""
    beyond = -net.b3.shape[1] % lanes  # columns of zeros
    wider = net._replace(
        w3=np.pad(net.w3, ((0, 0), (0, 0), (0, beyond))), b3=np.pad(net.b3, ((0, 0), (0, beyond)))
    )
    return Net(*(aligned(array) for array in wider))


def load_brain(path: Path | None = None) -> Brain:
    """Load the nets of a file, or the nets that ship, with the bearoff databases.

    A file of the net of one side of a race that lies beside the nets goes with them.
    """
    sides = None if path is None else _beside(path)
    return brain_of(load_nets(path), sides=None if sides is None else load_sides(sides))


def shipped(kind: str = "brain") -> Path:
    folder = Path(str(resources.files(SHIPPED)))
    paths = sorted(folder.glob(f"{kind}-*.npz"))
    if len(paths) != 1:
        raise BadWeights(f"{folder}: {len(paths)} weights files, expected one")
    return paths[0]


def _beside(path: Path) -> Path | None:
    """Return the races in the folder of `path`, None if they ship."""
    paths = sorted(path.parent.glob("races-*.npz"))
    if len(paths) > 1:
        raise BadWeights(f"{path.parent}: {len(paths)} files of races, expected one at most")
    ships = shipped("races").stem.removeprefix("races-")
    return paths[0] if paths and digest(paths[0]) != ships else None


def digest(path: Path) -> str:
    """Return the first 12 hex digits of a file's sha256, its proper name."""
    return hashlib.sha256(read_whole(path, LARGEST)).hexdigest()[:12]


def version_of(path: Path | None = None) -> str:
    """Return the name of nets, by default the shipped ones, and that of the net of one side."""
    nets = shipped().stem.removeprefix("brain-") if path is None else digest(path)
    beside = None if path is None else _beside(path)
    races = shipped("races").stem.removeprefix("races-") if beside is None else digest(beside)
    return f"{nets}+{races}"


def _net(path: Path, part: str, arrays: dict[str, Any], ends: tuple[int, int]) -> Net:
    """Take one net's arrays, with so many rows and outputs, out of the dict and check them."""
    rows, outputs = ends
    try:
        net = Net(*(arrays.pop(f"{part}.{name}") for name in Net._fields))
    except KeyError as error:
        raise BadWeights(f"{path}: array {error.args[0]} is missing") from error
    if net.table.ndim != 2 or net.w1.ndim != 3 or net.w2.ndim != 3:
        raise BadWeights(f"{path}: {part}: the layers are not matrices")
    wide, (tails, _, middle), narrow = net.table.shape[1], net.w1.shape, net.w2.shape[2]
    shapes = (
        (rows, wide), (wide,), (tails, wide, middle), (tails, middle),
        (tails, middle, narrow), (tails, narrow), (tails, narrow, outputs), (tails, outputs),
    )  # fmt: skip
    layers: tuple[NDArray[Any], ...] = tuple(net)
    for name, array, shape in zip(Net._fields, layers, shapes, strict=True):
        kind = np.int16 if name in {"table", "bias"} else np.float32
        if array.shape != shape or array.dtype != kind:
            raise BadWeights(
                f"{path}: {part}.{name} is {array.dtype}{list(array.shape)}, "
                f"expected {np.dtype(kind)}{list(shape)}"
            )
        if kind is np.float32 and not np.isfinite(array).all():
            raise BadWeights(f"{path}: {part}.{name} holds numbers that are not finite")
    return Net(*(np.ascontiguousarray(array) for array in layers))
