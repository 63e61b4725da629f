"""Dialects that a desk teaches: recordings of what a scale sends, and the form of its lines learned from them."""
