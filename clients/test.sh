#!/usr/bin/env bash
# Tests the clients against the real binary.
#
#   clients/test.sh core                  what needs nothing but Python and Node: table, python, typescript
#   clients/test.sh table                 the table of verbs against the OpenAPI that the binary serves
#   clients/test.sh python | typescript   one client alone
#   clients/test.sh integrations [NAME…]  with the packages of others, from PyPI and npm; a NAME is one of those of
#                                         clients/python/locks, or typescript or runtimes
#
# LUKASA_TEST_BINARY is the binary; without it one is built. What is installed goes to bin/clients. What cannot run
# here says
# "needs NAME: …"; when nothing could run at all the exit status is 77.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
clients=$root/clients
work=$root/bin/clients
mkdir -p "$work"
ran=0

binary() {
  if [ -z "${LUKASA_TEST_BINARY:-}" ]; then
    (cd "$root" && CGO_ENABLED=0 go build -trimpath -o "$work/lukasa" ./cmd/lukasa)
    LUKASA_TEST_BINARY=$work/lukasa
  fi
  export LUKASA_TEST_BINARY
}

needs() { echo "needs $1: $2"; }

# python3_at_least MINOR prints the newest Python 3 that is at least that new.
python3_at_least() {
  local name
  for name in python3.14 python3.13 python3.12 python3.11 python3.10 python3; do
    if "$name" -c "import sys; sys.exit(sys.version_info < (3, $1))" 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
  return 1
}

node_at_least() { command -v node >/dev/null && node -e "process.exit(parseInt(process.versions.node) < $1 ? 1 : 0)"; }

# npm_into FOLDER LOCKED installs what package.json and the lock file in LOCKED name, once for each state of the
# two. A folder without
# a lock file names exact versions.
npm_into() {
  local want
  want=$(cat "$2/package.json" "$2/package-lock.json" 2>/dev/null | cksum)
  if [ "$(cat "$1/installed" 2>/dev/null)" != "$want" ] || [ ! -d "$1/node_modules" ]; then
    mkdir -p "$1"
    rm -f "$1/package-lock.json"
    cp "$2"/package*.json "$1/"
    local how=install
    [ ! -f "$1/package-lock.json" ] || how=ci
    (cd "$1" && npm "$how" --no-audit --no-fund --loglevel=error) || return 1
    echo "$want" >"$1/installed"
  fi
}

# typescript_into FOLDER copies the sources beside the packages that were installed there.
typescript_into() {
  rm -rf "$1/src" "$1/test"
  cp -r "$clients/typescript/src" "$clients/typescript/test" "$1/"
  cp "$clients"/typescript/tsconfig*.json "$clients/typescript/build.mjs" "$clients/typescript/README.md" "$1/"
}

test_table() {
  local py
  py=$(python3_at_least 10) || { needs python3 "Python 3.10 or newer"; return 0; }
  binary
  "$py" -B "$clients/generate.py" --check --binary "$LUKASA_TEST_BINARY"
  ran=1
}

test_python() {
  local py
  py=$(python3_at_least 10) || { needs python3 "Python 3.10 or newer"; return 0; }
  binary
  (cd "$clients/python" && PYTHONPATH=src "$py" -B -m unittest -q tests.test_core tests.test_docs)
  ran=1
}

test_typescript() {
  node_at_least 20 || { needs node "Node 20 or newer"; return 0; }
  command -v npm >/dev/null || { needs npm "comes with Node"; return 0; }
  npm_into "$work/typescript-core" "$clients/typescript/core" || { needs npm "the package typescript"; return 0; }
  binary
  typescript_into "$work/typescript-core"
  (cd "$work/typescript-core" && node build.mjs tsconfig.core.json && node --test test/core.test.mjs test/docs.test.mjs)
  ran=1
}

case "${1:-core}" in
core)
  test_table
  test_python
  test_typescript
  ;;
table | python | typescript) "test_$1" ;;
integrations)
  shift
  # shellcheck source=clients/integrations.sh
  . "$clients/integrations.sh"
  test_integrations "$@"
  ;;
*)
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
  exit 2
  ;;
esac
[ "$ran" = 1 ] || exit 77
