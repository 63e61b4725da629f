"""The nouns everything else speaks in: quantities, limits, readings, measurements. No I/O, no opinions."""
