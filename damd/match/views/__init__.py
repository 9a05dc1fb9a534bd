"""What is shown and written of a tournament: text, CSV, PDN, files for rating programs. All from the journal's records."""
