"""Trains the numbers of the evaluation by self-play; not shipped. How the shipped ones were made: README.md."""
