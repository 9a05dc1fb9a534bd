"""Who the engine is, what it has, and that it is ready."""

from __future__ import annotations

from damd import variants
from damd.check.model import Failed, Skipped
from damd.check.trial import Trial, loud
from damd.client.parsing import parse_option
from damd.client.types import OptionInfo
from damd.notation.squares import shown

VARIANT = "UCI_Variant"


async def silent_start(trial: Trial) -> str:
    talk = await trial.fresh()
    said = await talk.silence(trial.patience.quiet_s)
    said += await talk.ask()
    if said:
        raise Failed(f"before it was asked anything it says {shown(said[0], 100)}")
    return ""


async def identity(trial: Trial) -> str:
    said = await _handshake(trial)
    named: dict[str, str] = {}
    for line in said:
        words = line.split(None, 2)
        if words[0] == "id" and (len(words) < 3 or words[1] not in ("name", "author")):
            raise Failed(f"{shown(line, 100)}: expected id name NAME or id author NAME")
        if words[0] == "id":
            named.setdefault(words[1], words[2])
    missing = [word for word in ("name", "author") if word not in named]
    if missing:
        raise Failed(f"no line id {missing[0]}")
    return named["name"]


async def lines(trial: Trial) -> str:
    said = await _handshake(trial)
    strange = [line for line in loud(said) if line.split()[0] not in ("id", "option")]
    if strange:
        raise Failed(f"{shown(strange[0], 100)} is none of id, option, info string, uciok")
    kinds = [line.split()[0] for line in said if line.split()[0] in ("id", "option")]
    if kinds != sorted(kinds):
        raise Failed("an id line comes behind an option line")
    return ""


async def declarations(trial: Trial) -> str:
    names: set[str] = set()
    count = 0
    for line in await _handshake(trial):
        if line.split()[0] != "option":
            continue
        option = parse_option(line)
        if option is None:
            raise Failed(f"{shown(line, 100)}: expected option name NAME type check|spin|combo|button|string …")
        if option.name.lower() in names:
            raise Failed(f"{option.name} is declared twice")
        names.add(option.name.lower())
        fault = _declaration_fault(option, line)
        if fault:
            raise Failed(f"{shown(line, 100)}: {fault}")
        count += 1
    return f"{count} options"


async def game(trial: Trial) -> str:
    option = trial.options.get(VARIANT)
    if option is None:
        raise Skipped(f"it declares no option {VARIANT}: whoever uses it has to know that it plays {_game(trial)}")
    if option.kind != "combo":
        raise Failed(f"{VARIANT} is of type {option.kind}, not combo")
    if not any(variants.canonical(choice) == _game(trial) for choice in option.choices):
        raise Failed(f"{_game(trial)} is not among the games that it offers: {shown(', '.join(option.choices), 150)}")
    return ""


async def ready(trial: Trial) -> str:
    talk = await trial.start()
    for _ in range(3):
        said = await talk.ask()
        if said:
            raise Failed(f"isready is answered by {shown(said[0], 100)} before readyok")
    said = await talk.silence(trial.patience.quiet_s)
    if said:
        raise Failed(f"after readyok, asked nothing, it says {shown(said[0], 100)}")
    return ""


async def again(trial: Trial) -> str:
    talk = await trial.fresh()
    talk.send("uci", "uci")
    first = [heard.text for heard in await talk.until("uciok")]
    second = [heard.text for heard in await talk.until("uciok")]
    if _declared(first) != _declared(second):
        raise Failed("the second uci is answered by other id or option lines than the first")
    await trial.alive(talk, after="a second uci")
    return ""


async def new_game(trial: Trial) -> str:
    talk = await trial.start()
    await trial.set_up(talk, trial.samples.game)
    said = loud(await talk.ask("ucinewgame"))
    if said:
        raise Failed(f"ucinewgame is answered by {shown(said[0], 100)}")
    await trial.stands_at(talk, trial.samples.game, "ucinewgame leaves the position, but")
    return ""


async def debug(trial: Trial) -> str:
    talk = await trial.start()
    wrong = loud(await talk.ask("debug on", trial.samples.game.command, "debug off", "register later"))
    if wrong:
        raise Failed(f"debug, position and register are answered by {shown(wrong[0], 100)}: expected info string lines only")
    await talk.ask("debug joho on", "debug", "debug off")
    await trial.search(talk, trial.samples.game, "go depth 1")
    return ""


async def _handshake(trial: Trial) -> list[str]:
    """The lines of the answer to ``uci`` up to ``uciok``, blank ones apart."""
    talk = await trial.fresh()
    talk.send("uci")
    return [heard.text for heard in (await talk.until("uciok"))[:-1] if heard.text.strip()]


def _declared(said: list[str]) -> list[str]:
    return [line for line in said if line.split()[:1] in (["id"], ["option"])]


def _game(trial: Trial) -> str:
    return trial.subject.rules.name


def _declaration_fault(option: OptionInfo, line: str) -> str:
    if option.kind == "spin":
        if not isinstance(option.default, int) or option.low is None or option.high is None:
            return "a spin needs whole numbers for default, min and max"
        if not option.low <= option.default <= option.high:
            return "the default is outside of min and max"
    if option.kind == "check" and line.split()[-2:-1] != ["default"]:
        return "a check needs default true or default false"
    if option.kind == "check" and line.split()[-1] not in ("true", "false"):
        return "the default of a check is true or false"
    if option.kind == "combo" and option.default not in option.choices:
        return "the default of a combo is one of its var"
    return ""
