"""Class models: everything that is learned for a kind of image."""

from fdcodec.model.class_model import ClassModel
from fdcodec.model.registry import find, get, names, resolve

__all__ = ["ClassModel", "find", "get", "names", "resolve"]
