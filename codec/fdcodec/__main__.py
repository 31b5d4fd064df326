"""``python -m fdcodec`` is the command ``fdcodec``."""

from fdcodec.cli.main import main

main()
