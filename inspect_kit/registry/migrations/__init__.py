"""The registry's formats: one revision a change, each of which can still be opened."""
