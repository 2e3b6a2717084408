#!/usr/bin/env bash
# Builds and runs the comparison with other engines: `make bench-peers`. It is a module of its own, so that they never enter lukasa's.
# It needs a C and a C++ compiler; hnswlib takes part where the compiler finds its header (Debian: libhnswlib-dev, or CPLUS_INCLUDE_PATH),
# pgvector where LUKASA_TEST_POSTGRES names a server that has it. Arguments go to the program (-n, -words, -only, -rounds, -queries, -seed).
set -euo pipefail
cd "$(dirname "$0")"

sqlite=$(go list -m -f '{{.Dir}}' github.com/mattn/go-sqlite3)
[ -n "$sqlite" ] || { go mod download github.com/mattn/go-sqlite3 && sqlite=$(go list -m -f '{{.Dir}}' github.com/mattn/go-sqlite3); }
tags=fts5
! echo '#include <hnswlib/hnswlib.h>' | "${CXX:-g++}" -std=c++17 -E -x c++ - >/dev/null 2>&1 || tags+=,hnswlib
simd=
case $(go env GOARCH) in
amd64) simd="-DSQLITE_VEC_ENABLE_AVX -mavx" ;;
arm64) simd="-DSQLITE_VEC_ENABLE_NEON" ;;
esac

export CGO_ENABLED=1 CGO_CFLAGS="-O2 -g -I$PWD/include -I$sqlite $simd"
mkdir -p ../bin
go build -tags "$tags" -o ../bin/peers ./peers
exec ../bin/peers "$@"
