"""Tournaments between engines: what is planned, what was played, and everything that can be said about it.

This half is pure. ``plan`` makes pairings of a configuration, a seed and the results so far; ``journal`` keeps one
line for each finished pair; statistics, standings and files are views computed from those lines alone.
"""
