"""Comparison of lossless codecs: the bytes of whole files that give every sample back.

`codecs` wraps each codec, `run` codes images and checks the samples, `records` stores, `report` shows.
"""
