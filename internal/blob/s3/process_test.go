//go:build linux || darwin

package s3_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/lukasa-memory/lukasa/internal/blob/blobtest"
	"github.com/lukasa-memory/lukasa/internal/blob/s3"
)

// roleEnv, when set to an address in JSON, turns the test binary into a process that writes a large blob and stops in its middle.
const roleEnv = "LUKASA_S3_TEST_WRITER"

func TestMain(m *testing.M) {
	text := os.Getenv(roleEnv)
	if text == "" {
		os.Exit(m.Run()) //nolint:forbidigo // the test binary plays a child process
	}
	if err := writeForEver(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // the test binary plays a child process
	}
}

// writeForEver acknowledges one blob and then says when two parts of another are on the server.
func writeForEver(text string) error {
	var f [5]string
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return err
	}
	d, err := s3.Open(context.Background(), s3.Options{URL: f[0], Bucket: f[1], AccessKey: f[2], SecretKey: f[3], Prefix: f[4], PartSize: s3.MinPart})
	if err != nil {
		return err
	}
	if err := d.Put(context.Background(), "usr_1/whole", bytes.NewReader(blobtest.Pattern(large, 1)), -1); err != nil {
		return err
	}
	left := 2 * s3.MinPart
	return d.Put(context.Background(), "usr_1/half", reader(func(p []byte) (int, error) {
		if left == 0 {
			fmt.Println("two parts") //nolint:forbidigo // the test binary plays a child process
			<-time.After(time.Hour)
			return 0, io.EOF
		}
		n := min(left, len(p))
		left -= n
		return n, nil
	}), -1)
}

// Killed in the middle of an upload in parts, a writer leaves nothing visible, and the parts go when they are a day old.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	o := options(t)
	text, err := json.Marshal([5]string{o.URL, o.Bucket, o.AccessKey, o.SecretKey, o.Prefix})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), roleEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(pipe).ReadString('\n'); said != "two parts\n" {
		t.Fatalf("the writer said %q, %v", said, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, as it should

	foreign, err := raw(t, o).NewMultipartUpload(t.Context(), o.Bucket, o.Prefix+"/usr_1/foreign", minio.PutObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, o) // sweeps, but not what is young
	if got := keys(t, d, ""); len(got) != 1 || got[0] != "usr_1/whole" || uploads(t, o) != 2 {
		t.Fatalf("%q is visible, and %d uploads", got, uploads(t, o))
	}
	if got, err := get(t, d, "usr_1/whole"); err != nil || !bytes.Equal(got, blobtest.Pattern(large, 1)) {
		t.Fatalf("what was acknowledged: %d bytes, %v", len(got), err)
	}
	if n, err := d.Sweep(t.Context(), time.Now().Add(23*time.Hour)); n != 0 || err != nil {
		t.Fatalf("Sweep after 23 hours = %d, %v", n, err)
	}
	o.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	later := open(t, o)
	if got := keys(t, later, ""); len(got) != 1 || uploads(t, o) != 1 {
		t.Fatalf("a day later: %q and %d uploads, want the foreign one", got, uploads(t, o))
	}
	if err := raw(t, o).AbortMultipartUpload(t.Context(), o.Bucket, o.Prefix+"/usr_1/foreign", foreign); err != nil {
		t.Fatal(err)
	}
	if err := later.Put(t.Context(), "usr_1/half", bytes.NewReader(blobtest.Pattern(large, 2)), -1); err != nil {
		t.Fatal(err)
	}
}
