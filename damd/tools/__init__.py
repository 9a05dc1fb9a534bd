"""The tools of the command line, a module each: ``add`` declares the arguments, ``run`` does the work.

``add(commands)`` adds a subparser to argparse's and imports nothing that costs time; ``run(options)`` returns the
exit code (see ``damd.tools.common``).
"""
