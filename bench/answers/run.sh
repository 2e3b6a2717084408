#!/usr/bin/env bash
# Starts the built binary on a scratch directory and runs answers.py against it: run.sh FILE NOISE [options of answers.py].
set -euo pipefail
file=${1:?name the file of facts and questions: FILE=answers.jsonl}
noise=${2:?name the folder of foreign messages and documents: NOISE=folder}
shift 2
here=$(cd "$(dirname "$0")" && pwd)
data=$(mktemp -d)
port=${PORT:-7391}
key=answers-$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM
LUKASA_API_KEY=$key LUKASA_RATE_LIMIT=0 "$here/../../bin/lukasa" serve --data "$data" --listen "127.0.0.1:$port" >"$data.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$data" "$data.log"' EXIT
for _ in $(seq 100); do
    curl -fs "http://127.0.0.1:$port/health" >/dev/null && break
    kill -0 $server 2>/dev/null || { cat "$data.log" >&2; exit 1; }
    sleep .1
done
python3 "$here/answers.py" --base "http://127.0.0.1:$port" --key "$key" --file "$file" --noise "$noise" "$@"
