"""``python -m damd_adapters.xboard``."""

import sys

from damd_adapters.xboard import main

sys.exit(main())
