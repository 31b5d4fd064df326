"""Samples that come back exactly (SPEC L1 to L8)."""
