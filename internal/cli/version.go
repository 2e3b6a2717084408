package cli

import "runtime"

type versionCmd struct{}

// Run prints the version.
func (c *versionCmd) Run(a *app) error {
	if a.g.JSON {
		return a.printJSON(map[string]string{"version": a.p.Version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
	}
	a.say("lukasa %s %s %s/%s", a.p.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
