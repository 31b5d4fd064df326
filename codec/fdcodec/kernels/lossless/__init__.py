"""Samples that come back exactly (SPEC 5.10)."""
