"""Deblocking and the trained filter (SPEC 6)."""
