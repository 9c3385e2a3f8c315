"""The page for operations: insertions moved on bones, disorders, and what an examination finds."""
