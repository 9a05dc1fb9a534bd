"""What pieces, points and patterns are worth in one game: numbers for the core's evaluation, shipped or worked out.

Importing the package costs nothing; its modules are imported before the first position is evaluated.
"""

from __future__ import annotations

import os

SUFFIX = ".weights"


def file_of(name: str) -> str:
    """The file of the weights that come with damd under ``name``; ``name`` itself where it is a file's path."""
    return name if name.endswith(SUFFIX) else os.path.join(os.path.dirname(os.path.abspath(__file__)), name + SUFFIX)
