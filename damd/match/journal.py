"""The journal of a tournament: the one store, of which everything else is a view.

JSON lines in ASCII, only ever appended to. The first line says what is played: the tournament with its seed, the
openings as they were read, and the versions of the programs. Every further line is one finished pairing:

    {"damd_match": 1, "created": "2026-11-30T10:00:00Z", "versions": {...}, "config": {...}, "openings": [...]}
    {"pairing": "1-1", "games": [{"number": 1, "white": "full", "black": "half", "winner": 0, "termination": "no-moves",
     "plies": [["21-17", 0, 12.5, 9987.5, 0.0, 0.3, 14, null, 9, 48211], ...], ...}, {...}], "finished": "..."}

A ply's values are the fields of ``PlyRecord`` in order, without those at the end that have their default. A line is in
the file for good before ``append`` returns; what a power cut leaves of a line that was being written is told, taken off
and played again. Two managers cannot write the same journal.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from io import FileIO
from math import isinf
from types import TracebackType
from typing import Any, NoReturn, Self

from damd.core.types import TooManyPlies
from damd.match.model import Opening, Tournament
from damd.match.openings import opening_position
from damd.match.plain import Faults, from_plain, shown, to_plain
from damd.match.records import PairRecord
from damd.match.settings import rules_of, table_of, tournament_of
from damd.notation.fen import FenError
from damd.notation.plies import PlyError

FORMAT = 1
_MARK = b'{"damd_match": '


class JournalError(Exception):
    """A journal that cannot be written, read or gone on with: the file, the line where one is at fault, and why."""

    def __init__(self, file: str, message: str, line: int = 0) -> None:
        super().__init__(file, message, line)
        self.file = file
        self.message = message
        self.line = line

    def __str__(self) -> str:
        file = self.file or "an empty name"
        return f"{file}:{self.line}: {self.message}" if self.line else f"{file}: {self.message}"


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: all that a plan depends on. ``created`` is a time of day (ISO 8601, UTC)."""

    tournament: Tournament
    openings: tuple[Opening, ...]
    versions: tuple[tuple[str, str], ...] = ()
    created: str = ""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a journal holds. ``torn`` is how many bytes of a line that was never finished stand at its end.

    ``size`` is the length in bytes of what is whole.
    """

    header: Header
    records: tuple[PairRecord, ...]
    torn: int = 0
    size: int = 0


def read_journal(file: str) -> Contents:
    """What the journal holds, for views: it may be written to meanwhile. Raises ``JournalError``."""
    try:
        with open(file, "rb") as stream:
            if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode):
                raise JournalError(file, "this is no journal, but a device")  # which need not have an end
            return parse_journal(stream.read(), file)
    except OSError as error:
        raise JournalError(file, f"cannot read this file: {error.strerror}") from None


def parse_journal(data: bytes, file: str) -> Contents:
    """What the bytes of a journal say. Raises ``JournalError`` for anything but a torn last line."""
    *lines, torn = data.split(b"\n")
    if not lines:
        what = "nothing was played in it" if _is_torn_header(data) else "its first line is not that of a journal"
        raise JournalError(file, f"this is no journal: {what}")
    rows: list[Any] = []
    for number, line in enumerate(lines, 1):
        try:
            rows.append(json.loads(line, parse_constant=_refuse, parse_float=_finite))
        except (ValueError, RecursionError):
            if number < len(lines) or torn or number == 1:
                raise JournalError(
                    file, f"this is no line of JSON: {shown(line.decode(errors='replace'))}", number
                ) from None
            # The disk may have kept the end of a line without its middle.
            torn = line + b"\n"
    header = _header(rows[0], file)
    records = [_record(row, file, number) for number, row in enumerate(rows[1:], 2)]
    _check_once(records, file)
    return Contents(header, tuple(records), torn=len(torn), size=len(data) - len(torn))


class Journal:
    """A journal that is being written. ``torn`` tells what ``resume`` took off its end, in bytes."""

    def __init__(self, file: str, stream: FileIO, contents: Contents) -> None:
        """Use ``create`` or ``resume``."""
        self.file = file
        self.header = contents.header
        self.torn = contents.torn
        self._records = list(contents.records)
        self._known = {record.pairing for record in contents.records}
        self._stream = stream
        self._size = contents.size

    @classmethod
    def create(cls, file: str, header: Header) -> Self:
        """Begin a journal. Raises ``JournalError``, also where the file holds anything already."""
        try:
            stream = _opened(file, new=True)
        except FileExistsError:
            raise JournalError(file, "is there already: go on with it (--resume), or give another name") from None
        except OSError as error:
            raise JournalError(file, f"cannot be written: {error.strerror}") from None
        journal = cls(file, stream, Contents(header, ()))
        try:
            _lock(stream, file)
            _empty(stream)
            _sync_folder(file)
            journal._write(_line(_header_row(header)))
        except OSError as error:
            stream.close()
            raise JournalError(file, f"cannot be written: {error.strerror}") from None
        except BaseException:
            stream.close()
            raise
        return journal

    @classmethod
    def resume(cls, file: str) -> Self:
        """Go on with a journal; the torn end of its last line is taken off. Raises ``JournalError``."""
        try:
            stream = _opened(file, new=False)
        except OSError as error:
            raise JournalError(file, f"cannot go on with it: {error.strerror}") from None
        try:
            _lock(stream, file)
            contents = parse_journal(stream.readall(), file)
            _check_openings(contents.header, file)
            stream.truncate(contents.size)
            stream.seek(contents.size)
        except OSError as error:
            stream.close()
            raise JournalError(file, f"cannot go on with it: {error.strerror}") from None
        except BaseException:
            stream.close()
            raise
        return cls(file, stream, contents)

    @property
    def records(self) -> tuple[PairRecord, ...]:
        """All that is journalled, in the order in which it was finished."""
        return tuple(self._records)

    def __contains__(self, pairing: object) -> bool:
        """Whether the pairing of that id is journalled."""
        return pairing in self._known

    def append(self, record: PairRecord) -> None:
        """Write a finished pairing, for good.

        Raises ``JournalError`` for a pairing that is there already, and where it cannot be written: the journal then
        holds what it held before, and may be tried again.
        """
        if record.pairing in self._known:
            raise JournalError(self.file, f"pairing {record.pairing} is journalled already")
        self._write(_line(to_plain(record)))
        self._known.add(record.pairing)
        self._records.append(record)

    def close(self) -> None:
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _write(self, line: bytes) -> None:
        try:
            left = memoryview(line)
            while left:
                left = left[self._stream.write(left) :]
            os.fsync(self._stream.fileno())
        except OSError as error:
            self._take_back(error)
        self._size += len(line)

    def _take_back(self, error: OSError) -> NoReturn:
        """Leave no half line behind where the disk is full, or say that one may be there."""
        safe = f"; {len(self._records)} pairings are safe in it" if self._size else ""
        try:
            self._stream.truncate(self._size)
            self._stream.seek(self._size)
        except OSError:
            safe += "; a torn line may stand at its end, which does no harm"
        raise JournalError(self.file, f"cannot be written: {error.strerror}{safe}") from None


def _opened(file: str, *, new: bool) -> FileIO:
    """The file for reading and writing; a new one must not be there, unless a header was torn in it."""
    if not new:
        _check_kind(file)
        return open(file, "r+b", buffering=0)
    try:
        return open(file, "x+b", buffering=0)
    except FileExistsError:
        _check_kind(file)
        stream = open(file, "r+b", buffering=0)  # noqa: SIM115
        if _is_torn_header(stream.readall()):
            return stream
        stream.close()
        raise


def _check_kind(file: str) -> None:
    """A journal is a file that can be read to its end, shortened and written again. Raises ``JournalError``."""
    mode = os.stat(file).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # of a folder the system tells
        raise JournalError(file, "is no file that a journal could be kept in, but a device or a pipe")


def _is_torn_header(data: bytes) -> bool:
    """Whether these bytes are all that is left of a journal whose first line was never finished."""
    return b"\n" not in data and (data.startswith(_MARK) or _MARK.startswith(data))


def _empty(stream: FileIO) -> None:
    stream.seek(0)
    stream.truncate(0)


def _lock(stream: FileIO, file: str) -> None:
    """Keep other managers away for as long as the file is open. Raises ``JournalError``."""
    try:
        if os.name == "nt":
            import msvcrt

            stream.seek(1 << 40)  # far behind its end: the lock is to keep nobody from reading
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            stream.seek(0)
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise JournalError(file, "another manager is writing it") from None
    except OSError as error:
        raise JournalError(file, f"cannot be locked against other managers: {error.strerror}") from None


def _sync_folder(file: str) -> None:
    """Make the file's name as durable as its bytes; Windows does that by itself."""
    if os.name == "nt":
        return
    folder = os.open(os.path.dirname(os.path.abspath(file)), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, allow_nan=False).encode("ascii") + b"\n"


def _header_row(header: Header) -> dict[str, Any]:
    return {
        "damd_match": FORMAT,
        "created": header.created,
        "versions": dict(header.versions),
        "config": table_of(header.tournament),
        "openings": [to_plain(opening) for opening in header.openings],
    }


def _header(row: Any, file: str) -> Header:
    if not isinstance(row, dict) or "damd_match" not in row:
        raise JournalError(file, "this is no journal: its first line is not that of one", 1)
    if type(row["damd_match"]) is not int or row["damd_match"] != FORMAT:
        raise JournalError(file, f"a journal of format {shown(row['damd_match'])}: this damd knows format {FORMAT}", 1)
    faults = Faults()
    config, listed, versions = row.get("config"), row.get("openings"), row.get("versions")
    tournament = tournament_of(config, faults) if isinstance(config, dict) else None
    if tournament is None and not faults.found:
        faults.add("config", f"must be a table, not {shown(config)}")
    if not isinstance(listed, list):
        faults.add("openings", f"must be a list, not {shown(listed)}")
        listed = []
    openings = [from_plain(Opening, one, f"openings[{place}]", faults) for place, one in enumerate(listed, 1)]
    if tournament is None or faults.found:
        key, message = faults.found[0]
        raise JournalError(file, f"{key}: {message}", 1)
    named = tuple((str(name), str(value)) for name, value in versions.items()) if isinstance(versions, dict) else ()
    return Header(tournament, tuple(openings), named, str(row.get("created", "")))


def _check_openings(header: Header, file: str) -> None:
    """Games are going to begin there: by the rules as this damd has them. Raises ``JournalError``."""
    rules = rules_of(header.tournament)
    for place, opening in enumerate(header.openings, 1):
        try:
            opening_position(opening, rules)
        except (FenError, PlyError) as wrong:
            raise JournalError(file, f"openings[{place}]: {wrong.token}: {wrong.message}", 1) from None
        except TooManyPlies as wrong:
            raise JournalError(file, f"openings[{place}]: {wrong}", 1) from None


def _record(row: Any, file: str, line: int) -> PairRecord:
    faults = Faults()
    record: PairRecord | None = from_plain(PairRecord, row, "", faults)
    if record is None:
        key, message = faults.found[0]
        raise JournalError(file, ": ".join(filter(None, (key, message))), line)
    return record


def _check_once(records: Iterable[PairRecord], file: str) -> None:
    lines: dict[str, int] = {}
    for line, record in enumerate(records, 2):
        if record.pairing in lines:
            message = f"pairing {record.pairing} is in line {lines[record.pairing]} already"
            raise JournalError(file, message, line)
        lines[record.pairing] = line


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    """A number of JSON that a float can hold. Raises ``ValueError``: 1e999 would be read as infinity."""
    number = float(text)
    if isinf(number):
        raise ValueError(f"{text} is too large")
    return number
