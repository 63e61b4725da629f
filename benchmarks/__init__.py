"""Speed and accuracy, beside what a user would do instead, in the same run."""
