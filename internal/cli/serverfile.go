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

const (
	serverFileName  = "server.json"
	keyFile         = "api.key" // written by the engine
	challengeHeader = "X-Lukasa-Challenge"
	proofHeader     = "X-Lukasa-Proof"
	answerTime      = 2 * time.Second
)

// serverFile is what a running server leaves in the data directory for commands. Token lets it prove that it is that
// server: a process that takes over the port of one that died does not get the key.
type serverFile struct {
	Address string    `json:"address"`
	PID     int       `json:"pid"`
	Token   string    `json:"token"`
	Version string    `json:"version"`
	Cert    string    `json:"tls_cert,omitempty"` // its certificate, which commands trust
	Started time.Time `json:"started"`
}

func serverFilePath(dir string) string { return filepath.Join(dir, serverFileName) }

// write puts the file in place, for its owner alone.
func (s serverFile) write(dir string) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	tmp := serverFilePath(dir) + ".new"
	if err := os.WriteFile(tmp, append(b, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, serverFilePath(dir))
}

// remove takes the file away, unless another server has written its own over it.
func (s serverFile) remove(dir string) error {
	now, ok := readServerFile(dir)
	if !ok || now.Token != s.Token {
		return nil
	}
	return os.Remove(serverFilePath(dir))
}

func readServerFile(dir string) (serverFile, bool) {
	var s serverFile
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

// client returns one that trusts the server's own certificate, whatever name that is for.
func (s serverFile) client() *http.Client {
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

// answers reports whether the server that wrote the file is there.
func (s serverFile) answers(ctx context.Context, h *http.Client) bool {
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

// proving answers challenges.
func proving(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := r.Header.Get(challengeHeader); c != "" && r.URL.Path == "/" {
			w.Header().Set(proofHeader, proof(token, c))
		}
		next.ServeHTTP(w, r)
	})
}
