"""What matplotlib draws, made fit to stand in a page: nothing foreign in it, names of its own, the page's colours."""

from __future__ import annotations

import re
from xml.etree import ElementTree

#: The colours of a plot that a dark page has otherwise: no other part of a plot may have them.
INK, PAPER, GRID = "#1f2933", "#ffffff", "#d5dbe1"
_VARIABLES = {INK: "var(--ink)", PAPER: "var(--paper)", GRID: "var(--grid)"}
_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

_SVG = "{http://www.w3.org/2000/svg}"
_REFERENCE = re.compile(r"(?:url\(#|^#)([^)]+)")
_DIGITS = re.compile(r"-?\d+\.\d{3,}")
_FAMILY = re.compile(r"(font(?:-family)?: *(?:[\w.]+ +)*?(?:[\d.]+px +)?)'[^;]*")
#: What no XML may hold, and halves of characters that no file may.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    """The text with a sign in place of each character that pages and pictures cannot hold."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def tidied(drawn: str, title: str, name: str, *, in_page: bool) -> str:
    """A drawing of matplotlib's without its metadata and style sheet, as an element in ASCII that says what it is.

    Names within it begin with ``name``. ``in_page`` leaves the three colours above to the page, as the variables
    ``--ink``, ``--paper`` and ``--grid``; a picture that stands alone has its own.
    """
    ElementTree.register_namespace("", _SVG[1:-1])
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ElementTree.fromstring(drawn)
    _strip(root)
    referred = {found[1] for one in root.iter() for value in one.attrib.values() for found in _REFERENCE.finditer(value)}
    for element in root.iter():
        if element.get("id") not in referred:
            element.attrib.pop("id", None)
        for key, value in element.attrib.items():
            element.set(key, _value(key, value, name, in_page))
    root.attrib |= {"role": "img", "stroke-linejoin": "round", "stroke-linecap": "butt"}
    if in_page:
        for key in ("width", "height"):
            root.attrib.pop(key, None)
    told = ElementTree.Element(f"{_SVG}title")
    told.text = printable(title)
    root.insert(0, told)
    text: bytes = ElementTree.tostring(root, encoding="us-ascii")
    return text.decode()


def _strip(root: ElementTree.Element) -> None:
    """Metadata say when and by what it was drawn; a style sheet would hold for the whole page."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{_SVG}metadata", f"{_SVG}style"):
                parent.remove(child)


def _value(key: str, value: str, name: str, in_page: bool) -> str:
    if key == "id":
        return f"{name}-{value}"
    value = _REFERENCE.sub(lambda found: f"{found[0][: -len(found[1])]}{name}-{found[1]}", value)
    value = _DIGITS.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), value)
    if key == "style":
        value = _FAMILY.sub(lambda found: f"{found[1]}{_FONT}", value)
        if in_page:
            for colour, variable in _VARIABLES.items():
                value = value.replace(colour, variable)
    return value
