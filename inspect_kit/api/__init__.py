"""What `import inspect_kit as ik` gives: the commands as functions, their results as objects that show themselves."""
