"""``python -m damd_adapters.ugi``."""

import sys

from damd_adapters.ugi import main

sys.exit(main())
