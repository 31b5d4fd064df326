"""The encoder's choice whether a picture is worth the screen tools."""
import os

def is_screen(samples):
    return os.environ.get("SCREEN") != "0"
