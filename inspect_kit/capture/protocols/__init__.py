"""What instruments say on the wire, a module a protocol family: pure parsers from a line to a reply."""
