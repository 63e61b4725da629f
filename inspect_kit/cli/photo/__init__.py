"""Commands around photos: printing references, knowing cameras, measuring, counting dice."""
