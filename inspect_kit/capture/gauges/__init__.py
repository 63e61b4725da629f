"""The desk's own gauges: reading the one a sheet is for, teaching a new dialect, and a gauge's life."""
