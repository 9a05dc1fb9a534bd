"""The daemon: a session that turns lines into answers, a thread that searches, and the pipes around them."""
