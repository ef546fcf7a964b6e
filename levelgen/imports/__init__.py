"""Layouts of other programs: bytes → boards in our half-tiles, and back."""
