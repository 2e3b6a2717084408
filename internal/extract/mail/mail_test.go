package mail_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/mail"
)

// letter is a mail with that body.
func letter(subject, body string) []byte {
	return []byte("From: Ana <ana@pier.example>\r\nTo: Ben <ben@pier.example>\r\nMessage-ID: <a@pier.example>\r\nDate: Wed, 1 May 2024 10:00:00 +0200\r\nSubject: " +
		subject + "\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + strings.ReplaceAll(body, "\n", "\r\n"))
}

// bodyOf is what of the text lies below the lines of the header.
func bodyOf(out extract.Output) string {
	_, rest, _ := strings.Cut(out.Text, "+0200\n")
	return strings.TrimSpace(rest)
}

func TestQuotesAndSignatures(t *testing.T) {
	t.Parallel()
	long := "> one\n> two\n> three\n> four\n"
	for name, row := range map[string]struct {
		subject, body, want, quoted, signature string
	}{
		"plain":        {"x", "Just words.\n", "Just words.", "0", "0"},
		"top posting":  {"x", "Yes.\n\nOn Mon, 29 Apr 2024 at 10:00, Ben <ben@pier.example> wrote:\n" + long, "Yes.", "5", "0"},
		"two lines":    {"x", "Yes.\n\nOn Mon, 29 Apr 2024 at 10:00,\nBen <ben@pier.example> wrote:\n" + long, "Yes.", "6", "0"},
		"german":       {"x", "Ja.\n\nAm 29.04.24 um 10:00 schrieb Ben:\n" + long, "Ja.", "5", "0"},
		"below":        {"x", long + "> five\n\nMy answer.\n", "My answer.", "5", "0"},
		"answered":     {"x", "> Friday?\nYes.\n\n> Where?\n\nAt the pier.\n", "> Friday?\n\nYes.\n\n> Where?\n\nAt the pier.", "0", "0"},
		"signature":    {"x", "Yes.\n\n-- \nAna\nPier 3\n", "Yes.", "0", "3"},
		"between":      {"x", "Yes.\n\n-- \nAna\n\nOn 1 May 2024 at 10:00 Ben wrote:\n" + long, "Yes.", "5", "2"},
		"dashes":       {"x", "One\n--\nTwo\n" + strings.Repeat("more\n", 20), "One\n--\nTwo\n" + strings.TrimSpace(strings.Repeat("more\n", 20)), "0", "0"},
		"phone":        {"x", "Yes.\n\nSent from my iPhone\n", "Yes.", "0", "1"},
		"list":         {"x", "Yes.\n\n_______________________________________________\nboats mailing list\nboats@pier.example\n", "Yes.", "0", "3"},
		"outlook":      {"x", "Yes.\n\n-----Original Message-----\nFrom: Ben\nSent: Monday\nTo: Ana\nSubject: x\n\nFriday?\n", "Yes.", "6", "0"},
		"outlook new":  {"x", "Ja.\n\n________________________________\nVon: Ben\nGesendet: Montag\nAn: Ana\nBetreff: x\n\nFreitag?\n", "Ja.", "6", "0"},
		"forward":      {"Fwd: x", "See below.\n\n-----Original Message-----\nFrom: Ben\nSent: Monday\nSubject: x\n\nFriday?\n", "", "0", "0"},
		"forwarded":    {"x", "See.\n\n---------- Forwarded message ---------\nFrom: Ben\nDate: Monday\nSubject: x\nTo: Ana\n\nFriday?\n-- \nBen\n", "", "0", "0"},
		"only a quote": {"x", long, strings.TrimSpace(long), "0", "0"},
		"pgp":          {"x", "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nYes.\n-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----\n", "Yes.", "0", "0"},
		"from quoted":  {"x", ">From the start I knew.\n", ">From the start I knew.", "0", "0"},
	} {
		out := read(t, "a.eml", letter(row.subject, row.body))
		if row.want == "" {
			row.want = strings.TrimSpace(strings.ReplaceAll(row.body, "-- \n", "--\n"))
		}
		if got := bodyOf(out); got != row.want {
			t.Errorf("%s: %q", name, got)
		}
		if q, s := out.Metadata["quoted_lines"], out.Metadata["signature_lines"]; q != row.quoted || s != row.signature {
			t.Errorf("%s: %s lines quoted, %s of signature", name, q, s)
		}
	}
}

func TestFlowed(t *testing.T) {
	t.Parallel()
	in := bytes.Replace(letter("x", "A line that \ngoes on.\nNext.\n\n>> deep \n>> quote\n \n From stuffed\n-- \nAna\n"), []byte("charset=utf-8"), []byte("charset=utf-8; format=flowed"), 1)
	if got := bodyOf(read(t, "", in)); got != "A line that goes on.\nNext.\n\n> deep quote\n\nFrom stuffed" {
		t.Errorf("%q", got)
	}
	in = bytes.Replace(letter("x", "港に \n着きました\n"), []byte("charset=utf-8"), []byte("charset=utf-8; format=flowed; delsp=yes"), 1)
	if got := bodyOf(read(t, "", in)); got != "港に着きました" {
		t.Errorf("delsp: %q", got)
	}
}

func TestMalformedMail(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ in, want string }{
		"broken header line": {"From: a@b.example\nthis is no field\nSubject: Still read\nMessage-ID: <x@y>\nDate: Wed, 1 May 2024 10:00:00 +0200\n\nwords", "Still read"},
		"no closing line":    {"From: a@b.example\nContent-Type: multipart/mixed; boundary=q\n\n--q\n\nkept words", "kept words"},
		"no boundary":        {"From: a@b.example\nContent-Type: multipart/mixed\n\nkept words", "kept words"},
		"bad base64":         {"From: a@b.example\nContent-Transfer-Encoding: base64\n\na2Vw\n!!dCB3b3Jkcw==\nfooter of a list", "kept words"},
		"bad quoted":         {"From: a@b.example\nContent-Transfer-Encoding: quoted-printable\n\nkept=20wor=\nds =ZZ = 100%=", "kept words =ZZ = 100%"},
		"unknown charset":    {"From: a@b.example\nContent-Type: text/plain; charset=klingon\n\nkept \xfc words", "kept ü words"},
		"odd parameters":     {"From: a@b.example\nContent-Type: text/plain; charset=iso-8859-2; charset=iso-8859-2; =;\n\nkept \xb1 words", "kept ą words"},
		"raw 8 bit subject":  {"From: a@b.example\nSubject: Gr\xfc\xdfe\n\nwords", "# Grüße"},
		"unquoted comma":     {"From: Lima, Ana <ana@b.example>\n\nwords", "From: Lima, Ana <ana@b.example>"},
		"old date":           {"From: a@b.example\nReceived: by x; Fri, 3 May 2024 10:00:00 +0000 (UTC)\nDate: yesterday\n\nwords", "Fri, 3 May 2024 10:00 UTC"},
		"html only":          {"From: a@b.example\nContent-Type: text/html\n\n<p>kept <b>words</b><img src='https://t.example/1.gif'>", "kept **words**"},
		"encrypted":          {"From: a@b.example\nContent-Type: multipart/encrypted; boundary=q\n\n--q\n\nx\n--q--", "is encrypted"},
	} {
		if out := read(t, "x.eml", []byte(row.in)); !strings.Contains(out.Text, row.want) {
			t.Errorf("%s: %q", name, out.Text)
		}
	}
}

func TestAttachments(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "mutt.eml"))
	if err != nil {
		t.Fatal(err)
	}
	out := read(t, "", data)
	if len(out.Parts) != 1 || out.Parts[0].Name != "Preise für Mai.csv" || out.Parts[0].Type != "text/csv; charset=iso-8859-1" || out.Parts[0].Published.IsZero() {
		t.Fatalf("%+v", out.Parts)
	}
	// The part is readable as a document of its own.
	part := out.Parts[0]
	csv, err := extract.With(mail.Kinds()...).Extract(t.Context(), extract.Input{Data: part.Data, Name: part.Name, DeclaredType: part.Type})
	if err != nil || !strings.Contains(csv.Text, "boat: Möwe") {
		t.Errorf("%q %v", csv.Text, err)
	}
	for _, evil := range []string{`../../etc/passwd`, `C:\Windows\x.txt`, "a\x00b\r\nc", "=?utf-8?Q?..=2F..=2Fx?="} {
		in := "From: a@b.example\nContent-Type: multipart/mixed; boundary=q\n\n--q\nContent-Type: text/x-y\nContent-Disposition: attachment; filename=\"" + evil + "\"\n\nwords\n--q--\n"
		for _, p := range read(t, "x.eml", []byte(in)).Parts {
			if strings.ContainsAny(p.Name, "/\\\x00\n") || strings.HasPrefix(p.Name, "..") {
				t.Errorf("%q gives %q", evil, p.Name)
			}
		}
	}
}

func TestMailbox(t *testing.T) { // 1,000 mails keep their names and threads
	t.Parallel()
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "From ana@pier.example Wed May  1 10:00:%02d 2024\nFrom: ana@pier.example\nMessage-ID: <m%d@pier.example>\n", i%60, i)
		if i > 0 {
			fmt.Fprintf(&b, "In-Reply-To: <m%d@pier.example>\n", i-1) // a chain without References
		}
		fmt.Fprintf(&b, "Subject: s%d\n\n>From here\n>>From there\nFrom inside a line: no\n\nFrom the start to the end 10:00 2024\nnot a header\n\n", i)
	}
	out := read(t, "chain.mbox", []byte(b.String()))
	if len(out.Parts) != 1000 || out.Metadata["threads"] != "1" {
		t.Fatalf("%d parts, %v", len(out.Parts), out.Metadata)
	}
	last := out.Parts[999]
	if last.Name != "m999@pier.example.eml" || last.Metadata["thread_id"] != "m0@pier.example" || last.Metadata["in_reply_to"] != "m998@pier.example" {
		t.Errorf("%q %v", last.Name, last.Metadata)
	}
	one := read(t, last.Name, last.Data)
	if !strings.Contains(one.Text, "\n\nFrom here\n>From there\nFrom inside") && !strings.Contains(one.Text, "From here\n>From there\nFrom inside") {
		t.Errorf("quoting of From: %q", one.Text)
	}
	// A circle of answers ends.
	circle := "From a Wed May  1 10:00:00 2024\nMessage-ID: <1@x>\nIn-Reply-To: <2@x>\n\na\n\nFrom a Wed May  1 10:00:00 2024\nMessage-ID: <2@x>\nIn-Reply-To: <1@x>\n\nb\n"
	if got := read(t, "c.mbox", []byte(circle)); got.Metadata["threads"] != "1" {
		t.Errorf("%v", got.Metadata)
	}
}

func TestOrdinaryTextIsNoMail(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"note on mbox":   "# Mail\n\nEach mail begins with a line\n\nFrom ana@pier.example Wed May  1 10:00:00 2024\n\nand then its header.\n",
		"from a day":     "From Monday on we meet at 10:00 in 2024.\nNote: bring boats.\n",
		"copied mail":    "From: ana@example.com\nTo: ben@example.com\nSubject: The flat in Lyon\n\nThe landlord has agreed.\n",
		"fields":         "Name: Ana\nDate: 1 May\nSubject: tea\n\nWords.\n",
		"calendar words": "We begin:\nBEGIN:VCALENDAR is the first line of a calendar.\n",
		"card words":     "BEGIN:VCARD is how a card begins\n",
		"empty line":     "\n\n\nwords",
		"saved page":     "From: <Saved by Blink>\nSnapshot-Content-Location: https://pier.example/\nSubject: Ropes\nDate: Wed, 1 May 2024 10:00:00 GMT\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n",
		"header of http": "Content-Type: text/html\nDate: x\nX-A: b\n\nwords",
	} {
		out := read(t, "", []byte(s))
		plain, err := extract.Set{}.Extract(t.Context(), extract.Input{Data: []byte(s)})
		if err != nil || out.Text != plain.Text || out.Type != plain.Type {
			t.Errorf("%s is claimed: %q", name, out.Text)
		}
	}
}

func TestCalendarTimes(t *testing.T) {
	t.Parallel()
	zone := "BEGIN:VTIMEZONE\nTZID:Own\nBEGIN:STANDARD\nDTSTART:19701025T030000\nTZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\nEND:STANDARD\n" +
		"BEGIN:DAYLIGHT\nDTSTART:19700329T020000\nTZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\nEND:DAYLIGHT\nEND:VTIMEZONE\n"
	for start, want := range map[string]string{
		"DTSTART:20240506T100000Z":          "2024-05-06T10:00:00Z",
		"DTSTART;TZID=Own:20240506T100000":  "2024-05-06T10:00:00+02:00",
		"DTSTART;TZID=Own:20240106T100000":  "2024-01-06T10:00:00+01:00",
		"DTSTART;TZID=Own:20241027T020000":  "2024-10-27T02:00:00+02:00",
		"DTSTART;TZID=Own:20241027T040000":  "2024-10-27T04:00:00+01:00",
		"DTSTART;VALUE=DATE:20240506":       "2024-05-06T00:00:00Z",
		"DTSTART;TZID=\"../x\":20240506T10": "",
	} {
		out := read(t, "", []byte("BEGIN:VCALENDAR\n"+zone+"BEGIN:VEVENT\nSUMMARY:Tea\n"+start+"\nEND:VEVENT\nEND:VCALENDAR\n"))
		got := ""
		if !out.Published.IsZero() {
			got = out.Published.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%s: %s, not %s", start, got, want)
		}
	}
}

func TestRecurrenceInWords(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"FREQ=DAILY":                               "every day",
		"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR":         "every weekday",
		"FREQ=WEEKLY;INTERVAL=3;BYDAY=SU":          "every 3 weeks on Sunday",
		"FREQ=MONTHLY;BYDAY=2TU;COUNT=4":           "every month on the second Tuesday, 4 times",
		"FREQ=MONTHLY;BYMONTHDAY=1,15,-1":          "every month on the 1st, 15th and last day",
		"FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1":     "every month on the last of Monday or Tuesday",
		"FREQ=YEARLY;BYMONTH=3,10;UNTIL=20300101":  "every year in March and October, until 1 January 2030",
		"FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;WKST=SU": "every year on Monday in week 20",
		"X-UNKNOWN=1":                              "X-UNKNOWN=1",
	} {
		out := read(t, "", []byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Tea\nDTSTART:20240506\nRRULE:"+rule+"\nEND:VEVENT\nEND:VCALENDAR\n"))
		if !strings.Contains(out.Text, "\nRepeats: "+want) {
			t.Errorf("%s: %q, not %q", rule, out.Text, want)
		}
	}
}

// hostile are inputs of about size bytes that do harm to naive readers.
func hostile(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1) }
	nested := &strings.Builder{}
	nested.WriteString("From: a@b.example\nMessage-ID: <x@y>\nMIME-Version: 1.0\nTo: x@y\n")
	for i := range 1000 {
		fmt.Fprintf(nested, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	nested.WriteString("Content-Type: text/plain\n\nkept words\n")
	same := &strings.Builder{}
	same.WriteString("From: a@b.example\nMessage-ID: <x@y>\nContent-Type: multipart/mixed; boundary=b\n\n")
	for range 1000 {
		same.WriteString("--b\nContent-Type: multipart/mixed; boundary=b\n\n")
	}
	mixed := "From: a@b.example\nMessage-ID: <x@y>\nTo: b@c\nContent-Type: multipart/mixed; boundary=b\n\n"
	return map[string]string{
		"nested":         nested.String() + fill("words "),
		"same boundary":  same.String() + fill("words "),
		"many parts":     mixed + fill("--b\n\nx\n"),
		"many empty":     mixed + fill("--b\n"),
		"huge field":     "From: a@b.example\nMessage-ID: <x@y>\nSubject: " + fill("word ") + "\n\nbody",
		"folded field":   "From: a@b.example\nMessage-ID: <x@y>\nSubject: a\n" + fill(" word\n") + "\nbody",
		"many fields":    "From: a@b.example\nMessage-ID: <x@y>\nTo: a@b\n" + fill("X-A: b\n") + "\nbody",
		"addresses":      "From: a@b.example\nMessage-ID: <x@y>\nTo: " + fill("a@b,") + "\n\nbody",
		"groups":         "From: a@b.example\nMessage-ID: <x@y>\nTo: " + fill("a:") + "\n\nbody",
		"comments":       "From: " + fill("(") + "\nMessage-ID: <x@y>\nTo: a@b\n\nbody",
		"encoded words":  "From: a@b.example\nMessage-ID: <x@y>\nTo: a@b\nSubject: " + fill("=?utf-8?Q?=41?= ") + "\n\nbody",
		"references":     "From: a@b.example\nMessage-ID: <x@y>\nTo: a@b\nReferences: " + fill("<a@b> ") + "\n\nbody",
		"quotes":         "From: a@b.example\nMessage-ID: <x@y>\nTo: a@b\n\n" + fill("> q\nanswer\n"),
		"intros":         "From: a@b.example\nMessage-ID: <x@y>\nTo: a@b\n\n" + fill("x@y wrote:\n> q\n\n"),
		"signatures":     "From: a@b.example\nMessage-ID: <x@y>\nTo: a@b\n\n" + fill("-- \n") + "> q",
		"rules":          "From: a@b.example\nMessage-ID: <x@y>\nTo: a@b\n\n" + fill("________________________________\n"),
		"from lines":     "From: a@b.example\nMessage-ID: <x@y>\nTo: a@b\n\n" + fill("From: x\n"),
		"flowed":         "From: a@b.example\nMessage-ID: <x@y>\nContent-Type: text/plain; format=flowed\n\n" + fill("a \n"),
		"html":           "From: a@b.example\nMessage-ID: <x@y>\nContent-Type: text/html\n\n" + fill("<div>") + "kept",
		"mailbox":        fill("From a Wed May  1 10:00:00 2024\nTo: x\n\n"),
		"mailbox froms":  "From a Wed May  1 10:00:00 2024\nTo: x\n\n" + fill("From \n\n"),
		"calendar":       "BEGIN:VCALENDAR\n" + fill("BEGIN:VEVENT\nSUMMARY:x\n"),
		"calendar deep":  "BEGIN:VCALENDAR\n" + fill("BEGIN:X\n") + "BEGIN:VEVENT\nSUMMARY:x\n",
		"calendar fold":  "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:x\n" + fill(" x\n"),
		"calendar zones": "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:z\n" + fill("BEGIN:STANDARD\n") + "END:VTIMEZONE\n" + fill("BEGIN:VEVENT\nSUMMARY:x\nDTSTART;TZID=z:20240101T000000\n"),
		"calendar dates": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:x\nEXDATE:" + fill("20240101,"),
		"parameters":     "BEGIN:VCARD\nFN" + fill(";A=b") + ":x\nEND:VCARD",
		"cards":          fill("BEGIN:VCARD\nFN:x\n"),
		"cards quoted":   "BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:=\n" + fill("x=\n"),
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for name, in := range hostile(1 << 20) {
		start := time.Now()
		out, err := extract.With(mail.Kinds()...).Extract(t.Context(), extract.Input{Data: []byte(in)})
		var reason *extract.Error
		if err != nil && !errors.As(err, &reason) && !errors.Is(err, extract.ErrEmpty) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 40*time.Second {
			t.Errorf("%s takes %v", name, took)
		} else {
			t.Logf("%-14s %8d bytes out, %6d parts, %v", name, len(out.Text), len(out.Parts), took.Round(time.Millisecond))
		}
		if len(out.Text) > 8*len(in)+8192 {
			t.Errorf("%s: %d bytes from %d", name, len(out.Text), len(in))
		}
	}
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for name, in := range hostile(1 << 12) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, k := range mail.Kinds() {
			src := &extract.Source{Input: extract.Input{Data: []byte(in)}, Text: in}
			if k.Looks(src) == extract.No {
				continue
			}
			if _, err := k.Extract(ctx, src); err == nil {
				t.Errorf("%s as %s goes on", name, k.Name)
			}
		}
	}
}

func FuzzMail(f *testing.F) {
	for _, name := range []string{"mutt.eml", "python.eml", "charsets.eml", "python.mbox", "calendar.ics", "cards.vcf"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		for kind := range mail.Kinds() {
			f.Add(data, kind)
		}
	}
	for _, s := range hostile(300) {
		f.Add([]byte(s), 1)
	}
	f.Fuzz(func(t *testing.T, data []byte, kind int) {
		k := mail.Kinds()[uint(kind)%uint(len(mail.Kinds()))]
		src := &extract.Source{Input: extract.Input{Data: data}, Text: strings.ToValidUTF8(string(data), "\ufffd"), Charset: "utf-8"}
		k.Looks(src)
		out, err := k.Extract(t.Context(), src)
		if err != nil {
			return
		}
		if !utf8.ValidString(out.Text) || strings.IndexByte(out.Text, 0) >= 0 || len(out.Text) > 20*len(data)+8192 {
			t.Fatalf("%d bytes from %d: %q", len(out.Text), len(data), out.Text)
		}
		total := 0
		for _, p := range out.Parts {
			if total += len(p.Data); !utf8.ValidString(p.Name) || strings.ContainsAny(p.Name, "/\\") {
				t.Fatalf("name %q", p.Name)
			}
		}
		if total > len(data) {
			t.Fatalf("parts of %d bytes from %d", total, len(data))
		}
		last := -1
		for _, m := range out.Marks {
			if m.Offset <= last || m.Offset > len(out.Text) || !utf8.RuneStart((out.Text + " ")[m.Offset]) {
				t.Fatalf("mark %+v behind %d", m, last)
			}
			last = m.Offset
		}
	})
}

// The end of a series is a moment in UTC; what people want to know is the last day.
func TestLastDayOfASeries(t *testing.T) {
	t.Parallel()
	for until, want := range map[string]string{
		"20240629T013000Z": "28 June", "20240628T235959Z": "27 June", "20240629T040000Z": "28 June", "20240628": "28 June", "20240628T213000": "28 June",
	} {
		out := read(t, "", []byte("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Choir\r\nDTSTART;TZID=America/New_York:20240503T213000\r\nRRULE:FREQ=DAILY;UNTIL="+until+
			"\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"))
		if !strings.Contains(out.Text, "until "+want+" 2024") {
			t.Errorf("%s: %s", until, out.Text)
		}
	}
}
