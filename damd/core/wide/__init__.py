"""The core compiled for boards of at most 128 bits; empty where the compiler has no integers of that size."""
