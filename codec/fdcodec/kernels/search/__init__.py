"""The encoder's decisions; a decoder imports nothing of this room."""
