"""Pictures of known millimetres: scenes with true perspective, solid pieces, lens, blur, noise, shadows and JPEG."""
