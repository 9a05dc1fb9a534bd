"""``python -m damd``: the command line."""

import sys

from damd.cli import main

sys.exit(main())
