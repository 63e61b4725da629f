"""The desks and registries that the commands of trust are called at."""

from tests.registry.conftest import (  # noqa: F401
    by_hand,
    desk,
    failing_record,
    home,
    issue,
    issuer_home,
    record,
    tmp_path,
)
