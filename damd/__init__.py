"""A draughts engine behind a line protocol: many games of the family, their rules as data.

Programs talk to it over stdin and stdout as ``protocol.md`` describes; ``damd.client`` does so from Python.
Importing this package loads nothing else.
"""

__version__ = "0.1.0"
