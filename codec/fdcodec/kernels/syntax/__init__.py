"""What is coded and in which contexts, once for both directions (SPEC 5)."""
