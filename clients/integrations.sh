# Sourced by test.sh: the clients with the packages of others. Each Python integration has a virtual environment of
# its own, as the
# ranges of versions of these packages clash; clients/python/locks has what goes into each.

# venv NAME makes bin/clients/python-NAME as its lock says, and prints where it is.
venv() {
  local py dir=$work/python-$1 lock=$clients/python/locks/$1.txt
  py=$(python3_at_least 11) || return 1
  if ! cmp -s "$lock" "$dir/lock.txt"; then
    rm -rf "$dir"
    "$py" -m venv "$dir"
    # Wheels alone: nothing here may need a compiler.
    "$dir/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: --no-deps \
      -r "$lock" >&2 || return 1
    cp "$lock" "$dir/lock.txt"
  fi
  echo "$dir"
}

# modules_of NAME prints the modules of an integration.
modules_of() {
  case $1 in
  langchain) echo langchain langchain_classic langgraph ;;
  *) echo "${1//-/_}" ;;
  esac
}

# test_python_integration NAME runs the tests of an integration, and the core with its httpx; then it checks the types.
test_python_integration() {
  local dir checker m
  dir=$(venv "$1") || { needs "$1" "Python 3.11 or newer, and the packages of locks/$1.txt"; return 0; }
  binary
  echo "== python, $1"
  (cd "$clients/python" &&
    PYTHONPATH=src "$dir/bin/python" -B -W ignore -m unittest -q "tests.integrations.test_${1//-/_}" tests.test_docs)
  checker=$(venv mypy) || { needs mypy "PyPI's packages of clients/python/locks/mypy.txt"; return 0; }
  for m in $(modules_of "$1"); do
    (cd "$clients/python" &&
      "$checker/bin/mypy" --cache-dir "$work/mypy-$1" --python-executable "$dir/bin/python" "src/lukasa/$m.py")
  done
  ran=1
}

# test_python_types checks the types of the client, and runs its tests with httpx.
test_python_types() {
  local dir
  dir=$(venv mypy) || { needs mypy "PyPI's packages of clients/python/locks/mypy.txt"; return 0; }
  binary
  echo "== python, httpx and types"
  (cd "$clients/python" && PYTHONPATH=src "$dir/bin/python" -B -W ignore -m unittest -q tests.test_core)
  (cd "$clients/python" &&
    "$dir/bin/mypy" --cache-dir "$work/mypy-core" src/lukasa/__init__.py tests/test_core.py tests/test_docs.py)
  ran=1
}

# node_22 puts Node 22 or newer first in PATH, from npm if need be.
node_22() {
  node_at_least 22 && return
  command -v npm >/dev/null || return 1
  npm_into "$work/node" "$clients/typescript/node" || return 1
  PATH=$work/node/node_modules/node/bin:$PATH
  node_at_least 22
}

test_typescript_integrations() {
  node_22 || { needs node "Node 22 or newer, or npm to install it"; return 0; }
  npm_into "$work/typescript" "$clients/typescript" || { needs npm "the packages of package-lock.json"; return 0; }
  binary
  echo "== typescript, integrations"
  typescript_into "$work/typescript"
  (cd "$work/typescript" && node build.mjs && node --test "test/integrations/*.test.mjs" test/docs.test.mjs)
  ran=1
}

# test_runtimes runs the built client in Bun, in Deno and in an edge runtime.
test_runtimes() {
  node_22 || { needs node "Node 22 or newer, or npm to install it"; return 0; }
  npm_into "$work/typescript" "$clients/typescript" || { needs npm "the packages of package-lock.json"; return 0; }
  npm_into "$work/runtimes" "$clients/typescript/runtimes" || { needs bun,deno "a registry that has them"; return 0; }
  binary
  echo "== typescript, runtimes"
  typescript_into "$work/typescript"
  export LUKASA_TEST_RUNTIMES=$work/runtimes/node_modules
  (cd "$work/typescript" && node build.mjs && node --test test/runtimes/runtimes.test.mjs)
  ran=1
}

test_integrations() {
  local name
  local all=(types anthropic crewai langchain llama-index openai-agents pydantic-ai typescript runtimes)
  for name in "${@:-${all[@]}}"; do
    case $name in
    types) test_python_types ;;
    typescript) test_typescript_integrations ;;
    runtimes) test_runtimes ;;
    *)
      [ -f "$clients/python/locks/$name.txt" ] || { echo "no integration $name; there are ${all[*]}" >&2; exit 2; }
      test_python_integration "$name"
      ;;
    esac
  done
}
