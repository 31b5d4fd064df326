"""The filter after reconstruction."""
