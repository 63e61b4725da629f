"""What was inspected and certified: numbered, chained entries that are only ever appended, and the evidence."""
