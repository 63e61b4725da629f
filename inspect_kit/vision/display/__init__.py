"""Reading what a display shows in a photo: seven-segment and dot-matrix digits, unit and marks, or a refusal."""
