"""The core compiled for boards of at most 64 bits; empty where no compiler was there."""
