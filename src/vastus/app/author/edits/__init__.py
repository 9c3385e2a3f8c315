"""What an author can do to a document; each edit returns another document, or refuses."""
