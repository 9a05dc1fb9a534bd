"""``python -m damd_adapters.checkerboard``."""

from __future__ import annotations

import sys

from damd_adapters.checkerboard import main

sys.exit(main())
