"""The codestream of a tile, lossy and lossless, and the numbers that decide it."""
