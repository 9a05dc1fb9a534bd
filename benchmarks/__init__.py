"""Figures of damd beside their targets and beside other programs; ``python3 dev.py bench`` runs them all."""
