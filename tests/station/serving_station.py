"""Serves a prepared home on a free port and prints the address; for tests that need a whole program."""

from __future__ import annotations

import sys
from pathlib import Path


def main(home: Path, port: int) -> None:
    # Here, for every helper process loads the main program again before it begins.
    from inspect_kit.certificate.issue.keys import own_keyring, unlock
    from inspect_kit.registry.opening import open_registry
    from inspect_kit.station.station import Station
    from inspect_kit.station.web.serving import ServerAddress, serve

    station = Station(home, open_registry(home), unlock(home, "", None), (own_keyring(home),))
    serve(station, ServerAddress("127.0.0.1", port), lambda address: print(address, flush=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
