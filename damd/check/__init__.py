"""Whether an engine keeps the protocol: named checks, each in processes of its own, judged by our own rules.

``table.CHECKS`` lists them; ``run`` starts an engine and runs them; ``report`` tells what was found.
"""
