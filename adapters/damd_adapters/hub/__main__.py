"""``python -m damd_adapters.hub`` is ``damd-hub``."""

from damd_adapters.hub import main

raise SystemExit(main())
