#!/usr/bin/env python3
"""Write the derived parts of the clients from verbs.json and the OpenAPI of a server.

    clients/generate.py [--binary bin/lukasa | --openapi FILE] [--check]

verbs.json holds the table of verbs:

  verbs       name, method, path, operation (the operationId), answer (schema of the answer), kind, doc, and where
  they apply
              args (fields that may be given by position; a ? marks one that may be left out), safe (the call may be made
              twice without harm), rename (a query parameter under another name), fields (schema of the form's fields)
  exclusions  operations that the clients do not offer, with the reason
  present     fields of each schema that every answer has, or that a request has to have

Kinds: json (one object), list (pages), items (the items of one answer), text, bytes, lines (JSON lines), events,
upload, import.

--check writes nothing and exits with 1 if a file would change. Any operation that is neither a verb nor excluded, and any verb that
the server does not have, is an error in both modes.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from generator import model, page, python, typescript  # noqa: E402


def served(binary: str) -> dict:
    """Start the binary on an empty data directory and return its OpenAPI."""
    with tempfile.TemporaryDirectory() as data:
        env = {**os.environ, "LUKASA_LOG_LEVEL": "error"}
        command = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0"]
        server = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
        try:
            found = pathlib.Path(data, "server.json")
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline and server.poll() is None:
                try:
                    address = json.loads(found.read_text())["address"]
                    with urllib.request.urlopen(address + "/openapi.json") as answer:
                        return json.load(answer)
                except (OSError, ValueError):
                    time.sleep(0.02)
            sys.exit(f"generate: {binary} did not start")
        finally:
            server.terminate()
            server.wait()


def main() -> None:
    parse = argparse.ArgumentParser(description="Write the derived parts of the clients.")
    parse.add_argument(
        "--binary", default=str(HERE.parent / "bin" / "lukasa"), help="the server whose OpenAPI counts"
    )
    parse.add_argument("--openapi", help="a file with the OpenAPI, instead of a server")
    parse.add_argument("--check", action="store_true", help="write nothing; fail if a file would change")
    args = parse.parse_args()

    spec = json.loads(pathlib.Path(args.openapi).read_text()) if args.openapi else served(args.binary)
    table = json.loads((HERE / "verbs.json").read_text())
    faults = model.compare(table, spec)
    if faults:
        sys.exit("\n".join(["clients/verbs.json and the server's OpenAPI differ:", *faults]))
    api = model.Api(table, spec)
    stale = []
    written = {**typescript.files(api), **python.files(api), **page.files(api, HERE.parent / "docs" / "sdk.md")}
    for path, text in written.items():
        file = HERE / path
        if file.exists() and file.read_text() == text:
            continue
        stale.append(path)
        if not args.check:
            file.write_text(text)
            print("wrote", f"clients/{path}")
    if stale and args.check:
        sys.exit("out of date, run clients/generate.py: " + ", ".join(stale))


if __name__ == "__main__":
    main()
