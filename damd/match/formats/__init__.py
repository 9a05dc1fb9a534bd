"""The formats of tournaments, a module each: from a tournament and the results so far to the pairings that are known."""
