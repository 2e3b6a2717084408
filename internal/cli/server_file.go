package cli

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ServerFileName is the file's, in the data directory.
const ServerFileName = "server.json"

const (
	challengeHeader = "X-Lukasa-Challenge"
	proofHeader     = "X-Lukasa-Proof"
	answerTime      = 2 * time.Second
)

// ServerFile is what a running server leaves in its data directory for commands. Token lets it prove that it is that server: a process that takes
// over the port of one that died does not get the key.
type ServerFile struct {
	Address string    `json:"address"`
	Data    string    `json:"data,omitempty"` // the directory, as the server's machine knows it; "" in files of older versions
	PID     int       `json:"pid"`
	Token   string    `json:"token"`
	Version string    `json:"version"`
	Cert    string    `json:"tls_cert,omitempty"` // its certificate, which commands trust
	Started time.Time `json:"started"`
}

// NewServerFile returns the file of a server that begins now to serve the directory dir at an address.
func NewServerFile(dir, address, version string, now time.Time) (ServerFile, error) {
	data, err := filepath.Abs(dir)
	if err != nil {
		return ServerFile{}, err
	}
	return ServerFile{Address: address, Data: data, PID: os.Getpid(), Token: rand.Text() + rand.Text(), Version: version, Started: now}, nil
}

// FindServer returns the file of the server that runs on a directory, if one is there. A file that came there with a copy of the directory tells of
// the server of another one, and is passed over: what it calls its directory is here, and is not this one. Where there is no such directory
// here, as the server may run in a container that knows it by another path, the file holds.
func FindServer(dir string) (ServerFile, bool) {
	s, ok := readServerFile(dir)
	if !ok || s.Data == "" {
		return s, ok
	}
	its, err := os.Stat(s.Data)
	if err != nil {
		return s, true
	}
	this, err := os.Stat(dir)
	return s, err != nil || os.SameFile(its, this)
}

func serverFilePath(dir string) string { return filepath.Join(dir, ServerFileName) }

// Write puts the file in its directory, for its owner alone.
func (s ServerFile) Write(dir string) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	tmp := serverFilePath(dir) + ".new"
	if err := os.WriteFile(tmp, append(b, '\n'), 0o600); err != nil {
		_ = os.Remove(tmp) // what there is of it tells nothing
		return err
	}
	return os.Rename(tmp, serverFilePath(dir))
}

// Post writes the file. Where that fails, as on a full disk, it says why and tries again every so often until ctx ends; ended waits for that.
func (s ServerFile) Post(ctx context.Context, dir string, every time.Duration) (ended func(), err error) {
	if err = s.Write(dir); err == nil {
		return func() {}, nil
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		again := time.NewTicker(every)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-again.C:
				if s.Write(dir) == nil {
					return
				}
			}
		}
	}()
	return func() { <-over }, err
}

// Remove takes the file away, unless another server has written its own over it.
func (s ServerFile) Remove(dir string) error {
	now, ok := readServerFile(dir)
	if !ok || now.Token != s.Token {
		return nil
	}
	return os.Remove(serverFilePath(dir))
}

func readServerFile(dir string) (ServerFile, bool) {
	var s ServerFile
	b, err := os.ReadFile(serverFilePath(dir))
	if err != nil || json.Unmarshal(b, &s) != nil || s.Address == "" || s.Token == "" {
		return s, false
	}
	return s, true
}

// proof is what only who knows the token can say to a challenge.
func proof(token, challenge string) string {
	m := hmac.New(sha256.New, []byte(token))
	m.Write([]byte(challenge))
	return hex.EncodeToString(m.Sum(nil))
}

// Client returns one that trusts the server's own certificate, whatever name that is for.
func (s ServerFile) Client() *http.Client {
	if s.Cert == "" {
		return &http.Client{}
	}
	t := &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: x509.NewCertPool()}, ForceAttemptHTTP2: true}
	if b, err := os.ReadFile(s.Cert); err == nil {
		t.TLSClientConfig.RootCAs.AppendCertsFromPEM(b)
		t.TLSClientConfig.ServerName = nameIn(b)
	}
	return &http.Client{Transport: t}
}

// nameIn returns a name that the first certificate of a chain is for.
func nameIn(chain []byte) string {
	block, _ := pem.Decode(chain)
	if block == nil {
		return ""
	}
	c, err := x509.ParseCertificate(block.Bytes)
	switch {
	case err != nil:
		return ""
	case len(c.DNSNames) > 0:
		return strings.Replace(c.DNSNames[0], "*", "lukasa", 1)
	case len(c.IPAddresses) > 0:
		return c.IPAddresses[0].String()
	}
	return ""
}

// Answers reports whether the server that wrote the file is there.
func (s ServerFile) Answers(ctx context.Context, h *http.Client) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Address+"/", nil)
	if err != nil {
		return false
	}
	challenge := rand.Text()
	req.Header.Set(challengeHeader, challenge)
	res, err := h.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return hmac.Equal([]byte(res.Header.Get(proofHeader)), []byte(proof(s.Token, challenge)))
}

// Proving answers challenges.
func (s ServerFile) Proving(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := r.Header.Get(challengeHeader); c != "" && r.URL.Path == "/" {
			w.Header().Set(proofHeader, proof(s.Token, c))
		}
		next.ServeHTTP(w, r)
	})
}
