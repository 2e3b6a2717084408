/* sqlite-vec wants sqlite3.h; it is compiled against the copy of SQLite that go-sqlite3 brings (see the Makefile). */
#include "sqlite3-binding.h"
