"""Comparison of fdcodec with the other codecs that are installed: rate-distortion curves, BD-rates, a report.

`rivals` and `codecs` wrap each codec, `metrics` measures, `sweep` runs codecs over images, `aggregate` averages and
computes BD-rates, `crops` cuts equal-rate details, `plots` and `report` show. Needs the ``compare`` extra.
"""

INSTALL = "install what is missing with pip install -e '.[compare]', in the directory of fdcodec's sources"
"""What to do where a package is missing."""
