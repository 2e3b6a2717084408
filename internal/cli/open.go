package cli

import (
	"context"
	"net/http"
	"os/exec"
	"runtime"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/dashboard"
	built "github.com/lukasa-memory/lukasa/web/dashboard"
)

type openCmd struct {
	Print bool `help:"Only print the link."`
}

// Help is the detail of the command's help.
func (openCmd) Help() string {
	return `It asks the server for a link that signs in once, within 15 minutes, with the key that commands use, prints it, and opens it in the browser of this machine. The dashboard may do what that key may do: LUKASA_API_KEY chooses another one.`
}

// Run prints a link to the dashboard and opens it.
func (c *openCmd) Run(a *app) error {
	b, err := a.findServer()
	switch {
	case err != nil:
		return err
	case b == nil:
		return &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "no server runs on " + a.loaded.Config.Data, Hint: "`lukasa serve` starts one; --server names one elsewhere"}
	}
	l, err := b.SignInLink(a.ctx)
	if err != nil {
		return err
	}
	if a.g.JSON {
		return a.printJSON(l)
	}
	a.say("%s", l.URL)
	if c.Print {
		return nil
	}
	if err := browse(a.ctx, l.URL); err != nil {
		a.note("no browser could be started here; open the link yourself")
	}
	return nil
}

// browse has the desktop open an address.
func browse(ctx context.Context, address string) error {
	args := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	return exec.CommandContext(ctx, args[0], args[1:]...).Run()
}

// withDashboard puts the dashboard before the API. A worker has none.
func (s *serving) withDashboard(api http.Handler) (http.Handler, error) {
	if s.loaded.Config.Role == "worker" {
		return api, nil
	}
	seal, err := s.e.SessionKey()
	if err != nil {
		return nil, err
	}
	s.pages = dashboard.New(api, dashboard.Options{Files: built.Files(), Seal: seal, Scope: s.e.Scope})
	return s.pages, nil
}

// sayDashboard prints where the dashboard is, with a link that signs in once where the key of this machine is at hand.
func (s *serving) sayDashboard() {
	if s.pages == nil {
		return
	}
	secret := s.e.NewSecret()
	if secret == "" {
		if secret = s.loaded.Config.APIKey; secret == "" {
			secret = s.savedKey()
		}
	}
	if secret == "" {
		s.say("  pages    %s%s    sign in with a key, or by `lukasa open`", s.url, dashboard.Prefix)
		return
	}
	link, _ := s.pages.Link(s.url, secret)
	s.say("  pages    %s    signs in once, within %d minutes", link, int(dashboard.LinkTime.Minutes()))
}
