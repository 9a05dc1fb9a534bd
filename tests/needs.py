"""What some tests cannot do without."""

from __future__ import annotations

import pytest

from damd.core.position import build_kind

#: For positions of tens of thousands of plies, and for tables that take their memory at once.
compiled_core = pytest.mark.skipif(build_kind() != "compiled", reason="takes minutes with the interpreted core")
