"""``python -m damd_adapters.dxp``: the command ``damd-dxp``."""

import sys

from damd_adapters.dxp import main

sys.exit(main())
