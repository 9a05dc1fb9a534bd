"""What the checks do, a module a group; ``damd.check.table`` lists them."""
