package cli_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/cli"
)

// The file holds for the directory that it was written for, by whatever path that is reached, and not for a copy of it.
func TestFind(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	data, copied, link := filepath.Join(base, "data"), filepath.Join(base, "copy"), filepath.Join(base, "link")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := cli.NewServerFile(data, "http://127.0.0.1:1", "test", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := cli.FindServer(data); ok {
		t.Error("found before it is there")
	}
	if err := file.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(copied, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(data, link); err != nil {
		t.Skip("no links here")
	}
	for dir, want := range map[string]bool{data: true, data + "/.": true, link: true, copied: false, filepath.Join(base, "none"): false} {
		if got, ok := cli.FindServer(dir); ok != want || ok && got.Token != file.Token {
			t.Errorf("%s: found is %t", dir, ok)
		}
	}
	// A server in a container knows its directory by a path that is not here.
	if err := os.Rename(data, filepath.Join(base, "moved")); err != nil {
		t.Fatal(err)
	}
	if _, ok := cli.FindServer(filepath.Join(base, "moved")); !ok {
		t.Error("it does not hold where its own path leads nowhere")
	}
	if err := file.Remove(copied); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(copied, cli.ServerFileName)); !os.IsNotExist(err) {
		t.Errorf("left behind: %v", err)
	}
}

// What cannot be written yet is written once it can be, unless the server has ended by then.
func TestPost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, err := cli.NewServerFile(dir, "http://127.0.0.1:1", "test", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	inTheWay := filepath.Join(dir, cli.ServerFileName)
	if err := os.MkdirAll(filepath.Join(inTheWay, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	ended, err := file.Post(over, dir, time.Millisecond)
	if err == nil {
		t.Fatal("written over a folder")
	}
	ended()
	if _, ok := cli.FindServer(dir); ok {
		t.Error("found after all")
	}
	ended, err = file.Post(t.Context(), dir, time.Millisecond)
	if err == nil {
		t.Fatal("written over a folder")
	}
	if err := os.RemoveAll(inTheWay); err != nil {
		t.Fatal(err)
	}
	ended()
	if got, ok := cli.FindServer(dir); !ok || got.Token != file.Token {
		t.Error("not written once it can be")
	}
}

// Only who has the token proves to be the server.
func TestAnswers(t *testing.T) {
	t.Parallel()
	at := func(token string) cli.ServerFile {
		file := cli.ServerFile{Token: token}
		srv := httptest.NewServer(file.Proving(http.NotFoundHandler()))
		t.Cleanup(srv.Close)
		file.Address = srv.URL
		return file
	}
	mine, other := at("mine"), at("other")
	if !mine.Answers(t.Context(), mine.Client()) {
		t.Error("the server is not known again")
	}
	mine.Address = other.Address
	if mine.Answers(t.Context(), mine.Client()) {
		t.Error("another server passes for it")
	}
}
