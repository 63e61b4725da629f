"""A real timestamp server: OpenSSL's, behind a small HTTP server, with a CA of its own."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_SETTINGS = """
[tsa]
default_tsa = one
[one]
serial = {folder}/serial
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
ordering = yes
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = sha256
[req]
distinguished_name = nobody
[nobody]
[ca]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
[stamps]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
"""


@dataclass(frozen=True)
class RunningTimeServer:
    """Where it listens, and the certificate of its CA."""

    url: str
    ca: Path


def _openssl(*arguments: object) -> None:
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def make_authority(folder: Path, name: str) -> None:
    """Keys and certificates of a CA and of the server that it vouches for."""
    settings = folder / "openssl.cnf"
    settings.write_text(_SETTINGS.format(folder=folder))
    (folder / "serial").write_text("01\n")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-config", settings, "-days", 3650)
    _openssl("req", "-x509", *key, "-keyout", folder / "ca.key", "-out", folder / "ca.crt", "-subj", f"/CN={name} CA",
             "-extensions", "ca")  # fmt: skip
    _openssl("req", "-x509", *key, "-keyout", folder / "tsa.key", "-out", folder / "tsa.crt", "-subj", f"/CN={name}",
             "-extensions", "stamps", "-CA", folder / "ca.crt", "-CAkey", folder / "ca.key")  # fmt: skip


@contextmanager
def running(folder: Path, name: str = "Test Time") -> Iterator[RunningTimeServer]:
    """The server, until the block ends."""
    make_authority(folder, name)

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = folder / f"{threading.get_ident()}.tsq"
            asked.write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
            given = asked.with_suffix(".tsr")
            _openssl("ts", "-reply", "-config", folder / "openssl.cnf", "-section", "one", "-queryfile", asked,
                     "-inkey", folder / "tsa.key", "-signer", folder / "tsa.crt", "-out", given)  # fmt: skip
            self.send_response(200)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.end_headers()
            self.wfile.write(given.read_bytes())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield RunningTimeServer(f"http://127.0.0.1:{server.server_port}/", folder / "ca.crt")
    finally:
        server.shutdown()
        server.server_close()
