"""The numbers and the layout of the format, which every layer reads (SPEC 3 to 5)."""
