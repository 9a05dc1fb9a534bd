"""damd's protocol on stdin and stdout for a foreign engine: lines in, lines out, and the end of either."""

from __future__ import annotations

import asyncio
import signal
from argparse import Namespace
from collections.abc import Callable, Coroutine
from types import FrameType

from damd.client import EngineError
from damd.protocol.errors import Code, ProtocolError, printable
from damd_adapters import launch, output, streams
from damd_adapters.uci.desk import Desk
from damd_adapters.uci.engine import EngineFault, ForeignEngine, Host
from damd_adapters.uci.meter import Meter
from damd_adapters.uci.session import Session

#: As damd itself: a line, without its end, may have so many bytes.
_LONGEST_LINE = 65536
#: How often an adapter whose input has ended looks whether somebody still reads its output, in seconds.
_LOOK_S = 0.5
#: After ``quit`` a running search has so long to answer, in seconds; then it is given up.
_GRACE_S = 1.0
#: What an engine says outside of its answers is cut here.
_LONGEST_REMARK = 300

MakeEngine = Callable[[Host], ForeignEngine]


def run(name: str, options: Namespace, make_engine: MakeEngine) -> int:
    """Serve one client until it leaves; the exit code.

    A fault of the engine is one ``error internal`` line for the client and one line on stderr, and the exit code 1.
    """
    return launch.run(name, options, lambda: _serve(name, make_engine))


async def _serve(name: str, make_engine: MakeEngine) -> int:
    host = _Host()
    engine = make_engine(host)
    _heed_signals(host, engine)
    try:
        await engine.start()
        host.session = session = Session(engine)
        host.desk = desk = Desk(session, host.say)
        if host.fault is not None:
            raise host.fault
        code, fault = await _converse(host, desk), desk.fault
    except EngineFault as lost:
        code, fault = launch.AT_FAULT, lost
        host.say(ProtocolError(Code.INTERNAL, "", str(lost)).line())
    except (OSError, EngineError):
        raise
    except Exception as defect:  # noqa: BLE001 - told in one line, the traceback is in the log
        launch.logger.exception("a defect of the adapter")
        code, fault = launch.AT_FAULT, EngineFault(f"the adapter has a defect: {type(defect).__name__}: {defect}")
        host.say(ProtocolError(Code.INTERNAL, "", str(fault)).line())
    finally:
        await engine.close()
    return code if fault is None else launch.fail(name, printable(str(fault)))


async def _converse(host: _Host, desk: Desk) -> int:
    """Take lines until everything is answered; the exit code."""

    async def guarded(watching: Coroutine[None, None, None]) -> None:
        try:
            await watching
        except Exception as fault:  # noqa: BLE001 - handed on to whoever waits for the end
            desk.broken(fault)

    watchers = [asyncio.create_task(guarded(each)) for each in (_read(desk), _give_up(desk), host.watch(desk))]
    try:
        return await desk.ended
    finally:
        desk.cancel()
        for task in watchers:
            task.cancel()
        await asyncio.gather(*watchers, return_exceptions=True)


async def _read(desk: Desk) -> None:
    """Hand on the lines of stdin, and their end."""
    lines = streams.Lines(limit=_LONGEST_LINE)
    while True:
        try:
            line = await lines.next()
        except streams.Overlong:
            message = f"a line of more than {_LONGEST_LINE} bytes, it is skipped"
            desk.unreadable(ProtocolError(Code.TOO_LONG, "", message))
            continue
        if line is None:
            desk.end_of_input()
            return
        if "\ufffd" in line:
            desk.unreadable(ProtocolError(Code.BAD_ENCODING, printable(line[:20]), "not UTF-8, the line is skipped"))
        else:
            desk.line(line)


async def _give_up(desk: Desk) -> None:
    """After ``quit`` a search that does not answer is left."""
    await desk.leaving.wait()
    await asyncio.sleep(_GRACE_S)
    if not desk.ended.done():
        desk.cancel()
        desk.end_of_input()


class _Host:
    """The client's side as the engine and the desk see it."""

    def __init__(self) -> None:
        self.desk: Desk | None = None
        self.session: Session | None = None
        self.fault: EngineFault | None = None
        self._gone = asyncio.Event()
        self._remarks = Meter(self.say)

    def say(self, line: str) -> None:
        """A line to the client; where nobody reads any more, ``watch`` raises."""
        if self._gone.is_set():
            return
        try:
            output.write(line)
        except OSError:
            self._gone.set()

    def failed(self, fault: EngineFault) -> None:
        if self.desk is not None:
            self.desk.failed(fault)
        else:
            self.fault = self.fault or fault

    def remark(self, text: str, *, debug: bool = True) -> None:
        launch.logger.debug("# %s", text)
        if self.session is not None and (self.session.debug or not debug):
            self._remarks.add(f"info string {printable(text[:_LONGEST_REMARK])}")

    async def watch(self, desk: Desk) -> None:
        """Raises ``BrokenPipeError`` when the client has left: at once with something to say, else within a second."""
        while True:
            try:
                async with asyncio.timeout(_LOOK_S):
                    await self._gone.wait()
            except TimeoutError:
                if not (desk.input_ended and output.nobody_reads()):
                    continue
            raise BrokenPipeError


def _heed_signals(host: _Host, engine: ForeignEngine) -> None:
    """Ctrl-C is a ``quit``. A termination takes the engine along, also where nobody reads what is being written."""
    loop = asyncio.get_running_loop()

    def leave(*_: object) -> None:
        output.hasten()
        if host.desk is None:
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(host.desk.line, "quit")

    def terminate(number: int, _frame: FrameType | None) -> None:
        output.hasten()  # what is still kept of a line would be waited for at the interpreter's end
        engine.kill()
        raise SystemExit(128 + number)

    signal.signal(signal.SIGINT, leave)
    for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), terminate)
