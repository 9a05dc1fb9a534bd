"""The protocol as data and text: commands, options, errors and the grammar. Knows no position and no process."""
