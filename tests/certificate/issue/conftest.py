"""The desks and registries that certificates are issued at."""

from tests.registry.conftest import (  # noqa: F401
    blank,
    cluster,
    counter,
    desk,
    empty_database,
    failing_record,
    home,
    issue,
    issuer_home,
    now,
    quick_desk,
    record,
    tmp_path,
    tool,
)
