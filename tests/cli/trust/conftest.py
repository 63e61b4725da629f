"""The commands of trust are called at the desks and registries of the registry's tests."""

from tests.registry.conftest import *  # noqa: F403
