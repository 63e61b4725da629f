"""`python -m inspect_kit`."""

from inspect_kit.cli import main

main()
