"""The command line: thin commands, and the one border between errors and a person's screen."""

from inspect_kit.cli.app import main

__all__ = ["main"]
