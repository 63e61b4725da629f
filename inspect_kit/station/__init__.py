"""The check-in desk in the browser: routes, templates and static files; what is decided is decided elsewhere."""
