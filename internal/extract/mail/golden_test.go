package mail_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/extracttest"
	"github.com/lukasa-memory/lukasa/internal/extract/mail"
)

// read extracts data with the kinds of this room before the built-in ones.
func read(t *testing.T, name string, content []byte) extract.Output {
	t.Helper()
	return extracttest.Read(t, mail.Kinds(), name, content)
}

func TestGolden(t *testing.T) { // D-9
	t.Parallel()
	extracttest.Named(t, mail.Kinds(), true, "mutt.eml", "python.eml", "charsets.eml", "python.mbox", "calendar.ics", "cards.vcf", "khal.ics", "khal-days.ics", "khard.vcf")
}
