"""Certificates are issued at the desks and registries of the registry's tests."""

from tests.registry.conftest import *  # noqa: F403
