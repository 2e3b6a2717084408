package text_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func TestMachineLines(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"Warning  BackOff  3m (x41 over 12m)  kubelet  restarting failed container",
		"NAME   READY   STATUS    AGE",
		"retry=3 delay=20",
	} {
		if !text.IsMachine(s) {
			t.Errorf("%q is taken for language", s)
		}
	}
	for _, s := range []string{"I rang them.  They were out.  Try again.  Or not.", "we moved  to Lyon in May"} {
		if text.IsMachine(s) {
			t.Errorf("%q is taken for what a program prints", s)
		}
	}
}
