package lite

import (
	"runtime"
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// gathering is the name of the VFS that gathers; see [Gathered].
const gathering = "gathered"

// gatherRoom is how many bytes are gathered at most: of more, the usual VFS would write what is left over by 128 KiB.
const gatherRoom = 1<<17 - 1

// Gathered is the URI for a connection that hands what it writes one behind the other to the system together: SQLite writes each page to its
// write-ahead log with two calls, three hundred of them for a hundred notes, and with one more to the file. What is gathered goes there before the
// file is synced, read, cut, unlocked or closed. Others are told of pages only once they are synced, as long as the connection has
// synchronous=FULL, which it must.
func Gathered(uri string) string {
	if !gather() {
		return uri
	}
	return uri + "?vfs=" + gathering
}

// gather makes the VFS known to SQLite: the usual one, but for how it opens files.
var gather = sync.OnceValue(func() bool {
	tls := libc.NewTLS()
	defer tls.Close()
	usual := sqlite3.Xsqlite3_vfs_find(tls, 0)
	if usual == 0 || runtime.GOOS == "windows" {
		return false
	}
	name, err := libc.CString(gathering)
	own := libc.Xmalloc(tls, types.Size_t(unsafe.Sizeof(sqlite3.Tsqlite3_vfs{})))
	if err != nil || own == 0 {
		return false
	}
	v := at[sqlite3.Tsqlite3_vfs](own)
	*v = *at[sqlite3.Tsqlite3_vfs](usual)
	v.FpNext, v.FzName, v.FxOpen = 0, name, pointer(openGathered)
	return sqlite3.Xsqlite3_vfs_register(tls, own, 0) == sqlite3.SQLITE_OK
})

// gathered is an open file with what is still to be written to it. It lies in memory that is not Go's, and begins with what SQLite takes for the methods
// of the file.
type gathered struct {
	sqlite3.Tsqlite3_io_methods
	usual uintptr // the methods of the usual VFS
	from  int64   // where in the file room belongs
	n     int32   // how much of room is to be written
	room  [gatherRoom]byte
}

// The functions of a VFS (https://sqlite.org/c3ref/io_methods.html), and of its files.
type (
	openFunc  func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	fileFunc  func(tls *libc.TLS, file uintptr) int32
	moveFunc  func(tls *libc.TLS, file, data uintptr, n int32, from int64) int32
	cutFunc   func(tls *libc.TLS, file uintptr, size int64) int32
	flagsFunc func(tls *libc.TLS, file uintptr, flags int32) int32
	wideFunc  func(tls *libc.TLS, file, size uintptr) int32
)

// pointer is a function as SQLite keeps it (https://go.dev/s/go11func). It must be one of the package, no closure.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f})) }

// function is the function that SQLite keeps so.
func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&struct{ p uintptr }{p})) }

// gatheredAt is what SQLite has opened as a file.
func gatheredAt(file uintptr) *gathered {
	return at[gathered](at[sqlite3.Tsqlite3_file](file).FpMethods)
}

func openGathered(tls *libc.TLS, _, name, file uintptr, flags int32, out uintptr) int32 {
	vfs := sqlite3.Xsqlite3_vfs_find(tls, 0)
	rc := function[openFunc](at[sqlite3.Tsqlite3_vfs](vfs).FxOpen)(tls, vfs, name, file, flags, out)
	f := at[sqlite3.Tsqlite3_file](file)
	if rc != sqlite3.SQLITE_OK || flags&(sqlite3.SQLITE_OPEN_WAL|sqlite3.SQLITE_OPEN_MAIN_DB) == 0 || f.FpMethods == 0 {
		return rc
	}
	usual := at[sqlite3.Tsqlite3_io_methods](f.FpMethods)
	if function[fileFunc](usual.FxDeviceCharacteristics)(tls, file)&sqlite3.SQLITE_IOCAP_POWERSAFE_OVERWRITE == 0 {
		return rc // the last page is written once more, behind the sync
	}
	own := libc.Xmalloc(tls, types.Size_t(unsafe.Sizeof(gathered{})))
	if own == 0 {
		return rc
	}
	g := at[gathered](own)
	g.Tsqlite3_io_methods, g.usual, g.n = *usual, f.FpMethods, 0
	g.FxClose, g.FxRead, g.FxWrite, g.FxTruncate = pointer(closeGathered), pointer(readGathered), pointer(writeGathered), pointer(cutGathered)
	g.FxSync, g.FxFileSize, g.FxUnlock = pointer(syncGathered), pointer(sizeGathered), pointer(unlockGathered)
	f.FpMethods = own
	return rc
}

// below is the file as the usual VFS knows it.
func (g *gathered) below() *sqlite3.Tsqlite3_io_methods {
	return at[sqlite3.Tsqlite3_io_methods](g.usual)
}

// flush writes what is gathered. What could not be written is not tried again: SQLite gives up the transaction.
func (g *gathered) flush(tls *libc.TLS, file uintptr) int32 {
	n := g.n
	if g.n = 0; n == 0 {
		return sqlite3.SQLITE_OK
	}
	return function[moveFunc](g.below().FxWrite)(tls, file, uintptr(unsafe.Pointer(&g.room)), n, g.from)
}

func writeGathered(tls *libc.TLS, file, data uintptr, n int32, from int64) int32 {
	g := gatheredAt(file)
	if g.n > 0 && (from != g.from+int64(g.n) || n > gatherRoom-g.n) {
		if rc := g.flush(tls, file); rc != sqlite3.SQLITE_OK {
			return rc
		}
	}
	if n > gatherRoom {
		return function[moveFunc](g.below().FxWrite)(tls, file, data, n, from)
	}
	if g.n == 0 {
		g.from = from
	}
	copy(g.room[g.n:], unsafe.Slice(at[byte](data), n))
	g.n += n
	return sqlite3.SQLITE_OK
}

func readGathered(tls *libc.TLS, file, data uintptr, n int32, from int64) int32 {
	g := gatheredAt(file)
	if rc := g.flush(tls, file); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return function[moveFunc](g.below().FxRead)(tls, file, data, n, from)
}

func cutGathered(tls *libc.TLS, file uintptr, size int64) int32 {
	g := gatheredAt(file)
	if rc := g.flush(tls, file); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return function[cutFunc](g.below().FxTruncate)(tls, file, size)
}

func syncGathered(tls *libc.TLS, file uintptr, flags int32) int32 {
	g := gatheredAt(file)
	if rc := g.flush(tls, file); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return function[flagsFunc](g.below().FxSync)(tls, file, flags)
}

func unlockGathered(tls *libc.TLS, file uintptr, lock int32) int32 {
	g := gatheredAt(file)
	if rc := g.flush(tls, file); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return function[flagsFunc](g.below().FxUnlock)(tls, file, lock)
}

func sizeGathered(tls *libc.TLS, file, size uintptr) int32 {
	g := gatheredAt(file)
	if rc := g.flush(tls, file); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return function[wideFunc](g.below().FxFileSize)(tls, file, size)
}

func closeGathered(tls *libc.TLS, file uintptr) int32 {
	g, own := gatheredAt(file), at[sqlite3.Tsqlite3_file](file).FpMethods
	rc := g.flush(tls, file)
	closed := function[fileFunc](g.below().FxClose)(tls, file)
	libc.Xfree(tls, own)
	if rc == sqlite3.SQLITE_OK {
		rc = closed
	}
	return rc
}
