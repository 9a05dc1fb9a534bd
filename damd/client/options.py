"""The options that an engine has declared, and the check of a value before it is sent."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping

from damd.client.errors import OptionError
from damd.client.parsing import integer
from damd.client.types import OptionInfo

#: What a caller may give as a value; text is read as the option's kind has it.
OptionValue = bool | int | str | None


class Options(Mapping[str, OptionInfo]):
    """The declared options by name, whatever the case, in the order of declaration."""

    def __init__(self, options: Iterable[OptionInfo] = ()) -> None:
        self._options = {option.name.lower(): option for option in options}

    def __getitem__(self, name: str) -> OptionInfo:
        return self._options[name.lower()]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._options

    def __iter__(self) -> Iterator[str]:
        return (option.name for option in self._options.values())

    def __len__(self) -> int:
        return len(self._options)

    def command(self, name: str, value: OptionValue = None) -> str:
        """The ``setoption`` line. Raises ``OptionError`` where the declaration does not allow it."""
        if name not in self:
            near = difflib.get_close_matches(name.lower(), self._options, 1)
            hint = f"; did you mean {self._options[near[0]].name}?" if near else ""
            raise OptionError(f"the engine has no option {name!r}{hint}")
        option = self[name]
        if option.kind == "button":
            if value is not None:
                raise OptionError(f"option {option.name} is a button and takes no value")
            return f"setoption name {option.name}"
        return f"setoption name {option.name} value {wire_value(option, value)}"


def wire_value(option: OptionInfo, value: OptionValue) -> str:
    """``value`` as the engine is told it. Raises ``OptionError``, which says what would have been right."""
    if option.kind == "check":
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str) and value.lower() in ("true", "false"):
            return value.lower()
        raise OptionError(f"option {option.name} takes true or false, not {value!r}")
    if option.kind == "spin":
        number = integer(value) if isinstance(value, str) else value
        if number is None or isinstance(number, bool) or not isinstance(number, int):
            raise OptionError(f"option {option.name} takes a whole number, not {value!r}")
        if (option.low is not None and number < option.low) or (option.high is not None and number > option.high):
            raise OptionError(f"option {option.name} takes {option.low} to {option.high}, not {number}")
        return str(number)
    if option.kind == "combo":
        for choice in option.choices:
            if isinstance(value, str) and choice.lower() == value.lower():
                return choice
        raise OptionError(f"option {option.name} takes {', '.join(option.choices)}, not {value!r}")
    if value is not None and not isinstance(value, str):
        raise OptionError(f"option {option.name} takes text, not {value!r}")
    if value and any(mark in value for mark in "\r\n\0"):
        raise OptionError(f"option {option.name} takes one line of text")
    return value or "<empty>"
