// Package dashboard holds the built pages of the dashboard, as files that the binary carries.
//
// The sources beside this file are TypeScript; build.sh makes dist/ from them, and dist/ is committed, so that a build of lukasa needs Go alone.
package dashboard

import (
	"embed"
	"io/fs"
)

//go:generate ./build.sh

//go:embed all:dist
var dist embed.FS

// Files returns the built pages: index.html and what it loads from assets/.
func Files() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant that the embedding proved
	}
	return sub
}
