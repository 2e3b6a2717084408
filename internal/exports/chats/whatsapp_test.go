package chats_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/exports/chats"
)

// messages reads one file of an export and returns its messages and what was reported.
func messages(t *testing.T, kind, name, data string, o exports.Options) (out []lukasa.NewMessage, errs []string) {
	t.Helper()
	src, err := exports.FromFile(name, strings.NewReader(data), int64(len(data)), exports.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for it, err := range exports.Set(chats.Kinds()).Read(t.Context(), kind, src, o) {
		switch {
		case err != nil:
			errs = append(errs, err.Error())
		case it.Append != nil:
			out = append(out, it.Append.Messages...)
		}
	}
	return out, errs
}

func TestWhatsAppDates(t *testing.T) {
	t.Parallel()
	const want = "2024-01-05 21:07"
	for _, head := range []string{
		"05/01/2024, 21:07 - ", "05/01/24, 21:07 - ", "5/1/24 21:07 - ", "05.01.24, 21:07 - ", "05.01.2024 21:07 - ", "05-01-2024 21:07 - ", "2024-01-05, 21:07 - ",
		"2024/01/05, 21:07 - ", "2024. 01. 05. 21:07 - ", "[05.01.24, 21:07:00] ", "[05/01/2024, 21:07:00] ", "[2024-01-05, 21:07:00] ", "5/1/24, 9:07 p. m. - ",
		"05/01/2024, 9:07 pm - ", "5/1/24, 9:07\u202fp.\u00a0m. - ", "[5/1/24 9:07:00 p. m.] ", "05/01/24, 21.07 - ", "2024年1月5日 21:07 - ", "2024/1/5 下午9:07 - ", "2024년 1월 5일 오후 9:07, ",
		"5/1/2567, 21:07 - ", "٥/١/٢٠٢٤، ٢١:٠٧ - ", "\u200e[05.01.24, 21:07:00] ", "05.01.24 um 21:07 - ", "05/01/2024 à 21:07 - ", "5.1.2024 kl. 21.07 - ",
		// As fixtures of other readers have them: Finnish, old iOS without brackets, Greek, Chinese parts of the day, Turkish, Portuguese, an en dash.
		"5.1.2024 klo 21.07.00 - ", "05.01.24 21.07.00: ", "05/01/24, 21:07:00: ", "5/1/24, 9:07 μ.μ. - ", "2024/1/5 晚上9:07 - ", "[2024/1/5, 晚上9:07:00] ", "5/1/24 ÖS 9:07 - ",
		"05/01/2024 às 21:07 - ", "05.01.24, 21:07 – ", "2024. 1. 5. 오후 9:07 - ", "5. 1. 2024. 21:07 - ",
	} {
		// The second line fixes that the day comes first.
		second := strings.NewReplacer("05/01", "28/01", "5/1/2", "28/1/2", "05.01", "28.01", "5.1.2", "28.1.2", "05-01", "28-01", "01-05", "01-28", "01/05", "01/28", "01. 05", "01. 28",
			"1月5", "1月28", "/1/5", "/1/28", "1월 5", "1월 28", "٥/", "٢٨/", "1. 5", "1. 28", "5. 1. 2024", "28. 1. 2024").Replace(head)
		got, errs := messages(t, "whatsapp", "WhatsApp Chat with X.txt", head+"Ann B: hi: there\nmore\n"+second+"C: x\n", exports.Options{})
		if len(errs) > 0 || len(got) != 2 {
			t.Errorf("%q: %d messages, %v", head, len(got), errs)
			continue
		}
		if at := got[0].Time.Format("2006-01-02 15:04"); at != want || got[0].Speaker != "Ann B" || got[0].Content != "hi: there\nmore" {
			t.Errorf("%q: %s <%s> %q", head, at, got[0].Speaker, got[0].Content)
		}
		if d := got[1].Time.Day(); d != 28 {
			t.Errorf("%q: day %d", second, d)
		}
	}
}

func TestWhatsAppDayOrMonth(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"a number over 12 in first place", "01/02/24, 10:00 - A: x\n13/02/24, 10:00 - A: y\n", "2024-02-01"},
		{"a number over 12 in second place", "01/02/24, 10:00 - A: x\n01/13/24, 10:00 - A: y\n", "2024-01-02"},
		{"time runs on, month first", "01/02/24, 10:00 - A: x\n01/05/24, 10:00 - A: y\n02/01/24, 10:00 - A: z\n", "2024-01-02"},
		{"time runs on, day first", "01/02/24, 10:00 - A: x\n05/02/24, 10:00 - A: y\n01/03/24, 10:00 - A: z\n", "2024-02-01"},
		{"nothing known", "01/02/24, 10:00 - A: x\n", "2024-02-01"},
		{"a 12-hour clock with slashes", "1/2/24, 10:00 AM - A: x\n", "2024-01-02"},
		{"a 12-hour clock with points", "1.2.24, 10:00 AM - A: x\n", "2024-02-01"},
	} {
		got, errs := messages(t, "whatsapp", "WhatsApp Chat with A.txt", tc.text, exports.Options{})
		if len(errs) > 0 || len(got) == 0 || got[0].Time.Format(time.DateOnly) != tc.want {
			t.Errorf("%s: %v, %v", tc.name, got, errs)
		}
	}
}

// TestWhatsAppNotices: what the program writes behind or in place of a text is told apart from it, with and without marks of direction.
func TestWhatsAppNotices(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ line, speaker, content, meta string }{
		{"Ann: The red rope. \u200e<This message was edited>", "Ann", "The red rope.", "edited"},
		{"Ann: Das rote Seil. <Diese Nachricht wurde bearbeitet.>", "Ann", "Das rote Seil.", "edited"},
		{"Ann: De rode lijn. \u200e<Dit bericht is bewerkt>", "Ann", "De rode lijn.", "edited"},
		{"Ann: write <your name>", "Ann", "write <your name>", ""},
		{"Ann: null", "Ann", "null", "notice"},
		{"Ann: Diese Nachricht wurde gelöscht.", "Ann", "Diese Nachricht wurde gelöscht.", "notice"},
		{"Ann: <Multimedia omitido>", "Ann", "<Multimedia omitido>", "notice"},
		{"Bo: \u200ePOLL:", "Bo", "POLL:", "notice"},
		{"Ann: < attached: 0001-rope.jpg >", "Ann", "< attached: 0001-rope.jpg >", "file"},
		{"Bo: \u200ebill.pdf • \u200e2 pages \u200e<attached: 0002-bill.pdf>", "Bo", "bill.pdf • 2 pages <attached: 0002-bill.pdf>", "file"},
		{"\u202a+49 151 1234567\u202c: hi", "+49 151 1234567", "hi", ""},
		{"~\u202fBo: hi", "Bo", "hi", ""},
		{`Ann changed the subject from "Ropes: red" to "Ropes: blue"`, "", `Ann changed the subject from "Ropes: red" to "Ropes: blue"`, ""},
	} {
		got, errs := messages(t, "whatsapp", "WhatsApp Chat with Ann.txt", "01/02/2024, 21:00 - Ann: first\n05/02/2024, 21:07 - "+tc.line+"\n", exports.Options{})
		if len(errs) > 0 || len(got) != 2 {
			t.Errorf("%q: %d messages, %v", tc.line, len(got), errs)
			continue
		}
		m := got[1]
		if _, has := m.Metadata[tc.meta]; m.Speaker != tc.speaker || m.Content != tc.content || has != (tc.meta != "") || len(m.Metadata) > 1 {
			t.Errorf("%q: <%s> %q, %v", tc.line, m.Speaker, m.Content, m.Metadata)
		}
	}
}

// TestWhatsAppPartsOfTheDay: an hour after midnight and one at noon are where the language has them.
func TestWhatsAppPartsOfTheDay(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"2024/1/25 凌晨12:05 - ": "00:05", "2024/1/25 早上6:30 - ": "06:30", "2024/1/25 中午12:30 - ": "12:30", "2024/1/25 下午1:00 - ": "13:00", "25/1/24, 12:05 π.μ. - ": "00:05",
		"25/1/24, 12:05 μ.μ. - ": "12:05", "[30.01.18, 00:04:03 AM] ": "00:04", "2024/1/25 de la 9:07 - ": "",
	} {
		got, _ := messages(t, "whatsapp", "WhatsApp Chat with Ann.txt", "2024/1/25 10:00 - Ann: first\n"+head+"Ann: x\n", exports.Options{})
		if want == "" {
			if len(got) != 1 {
				t.Errorf("%q begins a message", head)
			}
			continue
		}
		if len(got) != 2 || got[1].Time.Format("15:04") != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}

func TestWhatsAppIsNoProse(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"05/01/2024, 21:07 hello - A: x", "12:30 - lunch: soup", "5/1/24 is a date", "1/2/3", "05/01/2024, 99:07 - A: x", "[05.01.24] A: x", "- [x] done: yes", "05/01/2024, 21:07: soup",
	} {
		got, _ := messages(t, "whatsapp", "WhatsApp Chat with A.txt", "05/01/2024, 21:07 - A: first\n"+line+"\n", exports.Options{})
		if len(got) != 1 || !strings.HasSuffix(got[0].Content, line) {
			t.Errorf("%q began a message: %v", line, got)
		}
	}
	if got, errs := messages(t, "whatsapp", "WhatsApp Chat with A.txt", "40/40/2024, 21:07 - A: x\n", exports.Options{}); len(got) != 1 || got[0].Time != nil || len(errs) != 1 {
		t.Errorf("an impossible date: %v, %v", got, errs)
	}
}

// TestWhatsAppRoundTrip writes chats as phones do, and reads them back.
func TestWhatsAppRoundTrip(t *testing.T) {
	t.Parallel()
	forms := []string{"02/01/2006, 15:04 - ", "02.01.06, 15:04 - ", "1/2/06, 3:04 PM - ", "[02.01.06, 15:04:05] ", "[1/2/06, 3:04:05\u202fPM] ", "2006-01-02 15:04 - ", "[2006-01-02, 3:04:05 PM] "}
	rapid.Check(t, func(rt *rapid.T) {
		form := rapid.SampledFrom(forms).Draw(rt, "form")
		step := time.Second
		if !strings.Contains(form, ":05") {
			step = time.Minute
		}
		at := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
		var b strings.Builder
		type said struct {
			at            time.Time
			speaker, text string
		}
		var want []said
		for i := range rapid.IntRange(1, 30).Draw(rt, "messages") {
			at = at.Add(time.Duration(rapid.IntRange(0, 200_000).Draw(rt, fmt.Sprint("gap", i))) * step)
			text := rapid.StringMatching(`[a-zäß][a-z: ]{0,20}[a-z](\n[a-z]{1,9}){0,2}`).Draw(rt, fmt.Sprint("text", i))
			s := said{at, rapid.SampledFrom([]string{"Ann", "Bo Ö.", "+49 151 123"}).Draw(rt, fmt.Sprint("who", i)), text}
			want = append(want, s)
			b.WriteString(at.Format(form) + s.speaker + ": " + text + "\n")
		}
		// The last day of the year shows which number is the day.
		b.WriteString(time.Date(2031, 12, 31, 23, 59, 59, 0, time.UTC).Format(form) + "Ann: end\n")
		got, errs := messages(t, "whatsapp", "WhatsApp Chat with Z.txt", b.String(), exports.Options{})
		if len(errs) > 0 || len(got) != len(want)+1 {
			rt.Fatalf("%d messages of %d, %v", len(got), len(want)+1, errs)
		}
		ids := map[string]bool{}
		for i, w := range want {
			m := got[i]
			if !m.Time.Equal(w.at.Truncate(step)) || m.Speaker != w.speaker || m.Content != w.text || ids[m.ExternalID] {
				rt.Fatalf("message %d: %v <%s> %q, want %v <%s> %q", i, m.Time, m.Speaker, m.Content, w.at, w.speaker, w.text)
			}
			ids[m.ExternalID] = true
		}
	})
}

func TestWhatsAppEndlessMessage(t *testing.T) {
	t.Parallel()
	got, errs := messages(t, "whatsapp", "WhatsApp Chat with A.txt", "05/01/2024, 21:07 - A: x\n"+strings.Repeat("no head\n", 200_000), exports.Options{})
	if len(got) != 3 || len(errs) != 1 || !strings.Contains(errs[0], "over 1 MiB") { // one message in three parts
		t.Errorf("%d messages, %v", len(got), errs)
	}
	_, errs = messages(t, "whatsapp", "WhatsApp Chat with A.txt", "05/01/2024, 21:07 - A: x\n"+strings.Repeat("y", 2<<20), exports.Options{})
	if len(errs) == 0 || !strings.Contains(errs[0], "line of over 1 MiB") {
		t.Errorf("errors %v", errs)
	}
}

// TestHugeConversation: one element of a streamed file over the limit is an error with its place, not memory.
func TestHugeConversation(t *testing.T) {
	t.Parallel()
	data := `[{"id":"1","title":"x","mapping":{"a":{"message":{"id":"a","author":{"role":"user"},"content":{"content_type":"text","parts":["` + strings.Repeat("x", 3<<20) + `"]}}}}}]`
	src, err := exports.FromFile("conversations.json", strings.NewReader(data), int64(len(data)), exports.Limits{Item: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	var errs []string
	for _, err := range exports.Set(chats.Kinds()).Read(t.Context(), "chatgpt", src, exports.Options{}) {
		if err != nil {
			errs = append(errs, err.Error())
		}
	}
	if len(errs) != 1 || !strings.Contains(errs[0], "over 1 MiB") || !strings.HasPrefix(errs[0], "conversations.json") {
		t.Errorf("errors %v", errs)
	}
}

// TestNestedTooDeeply: brackets without end are an error.
func TestNestedTooDeeply(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`{"chats":{"list":` + strings.Repeat("[", 1<<20), `{"about":` + strings.Repeat("[", 1<<20), `{"messages":[{"id":` + strings.Repeat("[", 1<<20)} {
		if got, errs := messages(t, "telegram", "result.json", data, exports.Options{}); len(got) > 0 || len(errs) == 0 {
			t.Errorf("%.20q: %d messages, %v", data, len(got), errs)
		}
	}
}
