"""Commands around what was certified: keys, the registry and its log, verifying, labels."""
