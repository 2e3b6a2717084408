package cluster

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// servers are what the nodes share: a primary with a replica, Redis, and S3 where that is here.
type servers struct {
	t       *testing.T
	root    string // of the repository
	dir     string
	fsync   bool
	ports   map[string]string
	urls    map[part]string
	primary string
	replica string
	redis   string
	s3      string // "" where there is none
}

// part is a server by the name of its script.
type part string

const (
	postgres part = "postgres"
	replica  part = "replica"
	redis    part = "redis"
	s3       part = "s3"
)

// port finds a free one, which a server keeps over its restarts.
func port(t *testing.T) string {
	t.Helper()
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	_, p, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lacks says what the test needs and does not find, "" for nothing.
func lacks(root string) string {
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_basebackup"); len(found) == 0 {
		return "needs postgres: its programs are not in /usr/lib/postgresql; LUKASA_REQUIRE=postgres make servers installs them"
	}
	if os.Getuid() != 0 {
		return "needs postgres: only root can start it as another user"
	}
	if _, err := exec.LookPath("redis-server"); err != nil {
		return "needs redis: redis-server is not installed; LUKASA_REQUIRE=redis make servers installs it"
	}
	return ""
}

func startServers(t *testing.T, root string, fsync bool) *servers {
	t.Helper()
	dir, err := os.MkdirTemp("", "lukasa-cluster-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // the database's user walks through it
		t.Fatal(err)
	}
	s := &servers{t: t, root: root, dir: dir, fsync: fsync, ports: map[string]string{}, urls: map[part]string{}}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("logs are in %s", dir)
			return
		}
		_ = os.RemoveAll(dir)
	})
	s.primary = s.start(t, postgres)
	s.replica = s.start(t, replica)
	s.redis = s.start(t, redis)
	if found, _ := filepath.Glob(filepath.Join(root, "bin/tools/versitygw-*")); len(found) > 0 {
		s.s3 = s.start(t, s3)
	}
	return s
}

func (s *servers) home(p part) string { return filepath.Join(s.dir, string(p)) }

// start runs a server's script and returns the URL that it prints. The first start has it stopped when the test ends.
func (s *servers) start(t *testing.T, p part) string {
	t.Helper()
	if s.ports[string(p)] == "" {
		s.ports[string(p)] = port(t)
		t.Cleanup(func() { _, _ = s.script(p, "stop", s.home(p)) })
	}
	if err := s.launch(p); err != nil {
		t.Fatalf("start %s: %v", p, err)
	}
	return s.urls[p]
}

// launch runs a server's script and keeps the URL that it prints.
func (s *servers) launch(p part) error {
	args := []string{s.home(p), s.ports[string(p)]}
	if p == replica {
		args = append(args, s.home(postgres))
	}
	out, err := s.script(p, args...)
	if err == nil {
		lines := strings.Split(strings.TrimSpace(out), "\n")
		s.urls[p] = lines[len(lines)-1]
	}
	return err
}

// options are those of the primary's command line, with which it also comes back.
func (s *servers) options() string {
	fsync := "off"
	if s.fsync {
		fsync = "on"
	}
	return fmt.Sprintf("-p %s -k %s/sock -c listen_addresses=127.0.0.1 -c fsync=%s -c max_connections=200", s.ports[string(postgres)], s.home(postgres), fsync)
}

// script runs scripts/servers/NAME.sh. Its output goes to a file, as the servers that it starts inherit it.
func (s *servers) script(p part, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) //nolint:forbidigo // also runs when the test has ended
	defer cancel()
	out, err := os.CreateTemp(s.dir, string(p)+"-*.out")
	if err != nil {
		return "", err
	}
	defer out.Close()
	cmd := exec.CommandContext(ctx, filepath.Join(s.root, "scripts/servers", string(p)+".sh"), args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = os.Environ()
	if p == postgres && s.fsync {
		cmd.Env = append(cmd.Env, "FSYNC=on")
	}
	err = cmd.Run()
	text, _ := os.ReadFile(out.Name())
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, text)
	}
	return string(text), nil
}

// control runs pg_ctl on the primary or the replica.
func (s *servers) control(p part, args ...string) error {
	bin, err := os.ReadFile(filepath.Join(s.home(p), "bin"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) //nolint:forbidigo // also runs when the test has ended
	defer cancel()
	home := s.home(p)
	args = append([]string{
		"--reuid=postgres", "--regid=postgres", "--init-groups", "env", "HOME=/",
		filepath.Join(strings.TrimSpace(string(bin)), "pg_ctl"), "-s", "-w", "-D", home + "/data", "-l", home + "/data/log",
	}, args...)
	cmd := exec.CommandContext(ctx, "setpriv", args...)
	cmd.Dir = "/"
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("pg_ctl: %w: %s", err, &out)
	}
	return nil
}

// query runs a statement by psql on the primary or the replica.
func (s *servers) query(p part, sql string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second) //nolint:forbidigo // also runs when the test has ended
	defer cancel()
	cmd := exec.CommandContext(ctx, "psql", "-qXAt", "-h", "127.0.0.1", "-p", s.ports[string(p)], "-U", "lukasa", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c", sql)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", sql, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}
