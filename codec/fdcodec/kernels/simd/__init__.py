"""Several integers in one register (ADR 0018, 0024)."""
