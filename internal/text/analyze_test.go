package text_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func terms(s string) []string {
	var out []string
	for _, t := range text.Analyze(nil, s) {
		out = append(out, t.Term)
	}
	return out
}

// H-12: a rare word, code or name comes out as a term of its own.
func TestAnalyzeTerms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"The quick brown foxes were running", "quick brown fox run"},
		{"She went to the children's parties", "go child parti"},
		{"Mice and men have feet", "mous man foot"},
		{"don't won't it's I'm", ""},
		{"Sarah’s café is NAÏVE", "sarah cafe naiv"},
		{"Straße Ørsted Łódź İstanbul", "strass orst lodz istanbul"},
		{"Cafe\u0301 re\u0301sume\u0301", "cafe resum"},
		{"parseHTMLDocument", "parsehtmldocument pars html document"},
		{"user_name_id", "user_name_id user name id"},
		{"os.path.join", "os.path.join os path join"},
		{"iPhone", "iphone phone"},
		{"URLs of APIs", "url api"},
		{"U.S.A. and the U.K.", "usa uk"},
		{"1,000,000 costs 3.14 or 192.168.0.1", "1000000 cost 3.14 192.168.0.1"},
		{"v1.2.3 covid-19 GPT-4o", "v1.2.3 v1 2.3 covid 19 covid19 gpt 4o gpt4o"},
		{"C++ and C# or F#, c+1", "c++ c# f# c 1"},
		{"東京都に行く", "東京 京都 都に に行 行く"},
		{"「猫」は 犬", "猫 は 犬"}, // alone, and not at the beginning
		{"Party 🎉🎂 tonight 👍🏽!", "parti 🎉 🎂 tonight 👍"},
		{"中", "中"},
		{"tokyo東京tower", "tokyo 東京 tower"},
		{"Книги о книгах", "книг книг"},
		{"المكتبات المكتبة", "مكتب مكتب"},
		{"புத்தகங்கள்", "புத்தகம்"},
		{"Τα βιβλία του Γιώργου", "τα βιβλια του γιωργου"},
		{"שָׁלוֹם", "שלום"},
		{"...  !!! \u200b", ""},
		{"end.Next", "end.next end next"},
		{"rock 'n' roll's", "rock n roll"},
		{"\xff\xfetable\xff", "tabl"},
	} {
		if got := strings.Join(terms(c.in), " "); got != c.want {
			t.Errorf("Analyze(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// H-12: a code of several words comes out as them and as a whole, which is the same however it is put together.
func TestAnalyzeCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"INV-20913 INV20913 inv/20913", "inv 20913 inv20913 inv20913 inv 20913 inv20913"},
		{"10-2-4 10/2/4 10.2.4 1024", "10 2 4 10.2.4 10 2 4 10.2.4 10.2.4 1024"},
		{"ISO-8859-1 ISO8859-1", "iso 8859 1 iso8859.1 iso8859 1 iso8859.1"},
		{"REF:12 Ref/12", "ref 12 ref12 ref 12 ref12"},
		{"RFC-7231, AB/12/7.", "rfc 7231 rfc7231 ab 12 7 ab12.7"},
		{"A-1-12 A-11-2", "1 12 a1.12 11 2 a11.2"}, // the letter alone is a stop word
		{"v1.2.3 v1-2-3", "v1.2.3 v1 2.3 v1 2 3 v1.2.3"},
		{"GPT\u20114o 2019–20", "gpt 4o gpt4o 2019 20 2019-20"},
		{"2024-06-01 at 10:30", "2024 06 01 2024.06.01 10 30 10-30"},
		{"3-5 and 1,000-2,000 are not 3.5", "3 5 3-5 1000 2000 1000-2000 3.5"},
		{"020-7946-0958 or +44 20 7946 0958", "020 7946 0958 020.7946.0958 44 20 7946 0958"},
		{"DE89-3704-0044", "de89 3704 0044 de89.3704.0044"},
		{"550e8400-e29b-41d4-a716-446655440000", "550e8400 e29b 41d4 a716 446655440000 550e8400e29b41d4a716.446655440000"},
		{"00:1A:2B:3C", "00 1a 2b 3c 00.1a2b3c"},
		{"ГОСТ-12345 café-9", "гост 12345 гост12345 cafe 9 cafe9"},
		{"well-known mother-in-law and/or src/main/app: x", "well know mother law src main app x"},
		{"1- 2 -3 a--1 4 - 5 6-東京", "1 2 3 1 4 5 6 東京"},
		{"INV-20913's INV-20913’s INV20913's", "inv 20913 inv20913 inv 20913 inv20913 inv20913"},
		{"l'A-12 O’Neil-7", "la 12 a12 oneil neil 7 neil7"},
		{"A-7.pdf INV-20913.tar.gz", "7.pdf pdf a7 inv 20913.tar.gz 20913 tar gz inv20913"},
		{"id:10-2-4 INV-20913:paid", "id 10 2 4 10.2.4 id10.2.4 inv 20913 pay inv20913 inv20913paid"},
		{"PROJ-123/PROJ-124", "proj 123 proj 124 proj123 proj124 proj123proj124"},
		{"2024-06-01/10:30", "2024 06 01 10 30 10-30 2024.06.01 2024.06.01.10.30"},
		{"10:30-12:00", "10 30 12 00 10-30 12-00 10.30.12.00"},
		{"jira/browse/PROJ-123", "jira brows proj 123 proj123 jirabrowseproj123"},
		{"1-５-2 INV-２０９１３", "1 5 2 1.5.2 inv 20913 inv20913"},
		{"1-2-3-4-5-6-7-8-9-10-11-12", "1 2 3 4 5 6 7 8 9 10 11 12 1.2.3.4.5.6.7.8.9.10.11.12"},
		{"1-2-3-4-5-6-7-8-9-10-11-12-13", "1 2 3 4 5 6 7 8 9 10 11 12 13"}, // a list
		{"usr/share/documentation/packages/version-2", "usr share document packag version 2"},
	} {
		if got := strings.Join(terms(c.in), " "); got != c.want {
			t.Errorf("Analyze(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	got := text.Analyze(nil, "see INV-20913 now")
	want := []text.Token{
		{Term: "see", Pos: 0, Start: 0, End: 3},
		{Term: "inv", Pos: 1, Start: 4, End: 7},
		{Term: "20913", Pos: 2, Start: 8, End: 13},
		{Term: "inv20913", Pos: 2, Start: 4, End: 13},
		{Term: "now", Pos: 3, Start: 14, End: 17},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("tokens (-want +got):\n%s", d)
	}
}

func TestIsCode(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"INV-20913": true, "10:30": true, "1/2": true, "GPT\u20114o": true, "INV20913": false, "10.2.4": false, "well-known": false, "os.path": false, "": false, "-1": false, "1-": false,
	} {
		if got := text.IsCode(word); got != want {
			t.Errorf("IsCode(%q) = %v, want %v", word, got, want)
		}
	}
}

func TestAnalyzePositions(t *testing.T) {
	t.Parallel()
	got := text.Analyze(nil, "The cat sat on the userName mat")
	want := []text.Token{
		{Term: "cat", Pos: 1, Start: 4, End: 7},
		{Term: "sit", Pos: 2, Start: 8, End: 11},
		{Term: "username", Pos: 5, Start: 19, End: 27},
		{Term: "user", Pos: 5, Start: 19, End: 23},
		{Term: "name", Pos: 6, Start: 23, End: 27},
		{Term: "mat", Pos: 7, Start: 28, End: 31},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("tokens (-want +got):\n%s", d)
	}
}

func TestAnalyzerLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, in, want string }{
		{"fr", "l'homme mangeait les pommes", "homm mang pomm"},
		{"es", "las canciones de los niños", "cancion nin"},
		{"sv", "flickorna sprang", "flick sprang"},
		{"de", "Die Häuser standen in Straßen", "haus stand strass"},
		{"it", "dell'anno le città belle", "anno citt bell"},
		{"pt", "as crianças dormindo", "crianc dorm"},
		{"nl", "de kinderen fietsten", "kinder fietst"},
		{"da", "børnene cyklede", "born cykled"},
		{"nb", "barna syklet", "barn sykl"},
		{"fi", "talossa taloista", "talo talo"},
		{"hu", "a házakban", "haz"},
		{"ro", "copiilor cărțile", "cop cart"},
		{"tr", "evlerimizde kitaplar", "ev kitap"},
		{"de", "geht's um iPhone 15 und MP3-Dateien", "geht iphone phon 15 mp3 datei mp3dateien"},
		{"xx", "Wörter running", "worter run"}, // English stands for what has no stemmer
		{"en", "running", "run"},
	} {
		var got []string
		var a text.Analyzer
		a.Take(text.TongueOf(c.lang))
		a.Each(c.in, func(term []byte, _, _, _ int) { got = append(got, string(term)) })
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: %q = %q, want %q", c.lang, c.in, g, c.want)
		}
	}
}

func TestAnalyzeAllocatesLittle(t *testing.T) {
	var a text.Analyzer
	s := strings.Repeat("The engineers were running 42 distributed searches over userProfiles in Zürich by INV-20913, 10:30. ", 20)
	n := 0
	each := func([]byte, int, int, int) { n++ }
	a.Each(s, each)
	if got := testing.AllocsPerRun(20, func() { a.Each(s, each) }); got > 0 {
		t.Errorf("%v allocations for %d terms, want 0", got, n)
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"", "a", "camelCase snake_case a.b.c", "don't ’s", "東京 ｶﾞ", "\xff\x00é", "C++ C#", "1,2.3,4", "a'b'c_", "ǅabc İİ", "INV-20913 10:30 1-2-3-4-5-6-7-8-9-10-11-12-13", "1\u20112-", "-1-é9--:/7東-5", "ﷺ-1-ﷺ-ﷺ-ﷺ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, lang := range []string{"en", "da", "de", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "sv", "tr"} {
			last := -1
			var a text.Analyzer
			a.Take(text.TongueOf(lang))
			a.Each(s, func(term []byte, pos, start, end int) {
				if len(term) == 0 || len(term) > 64 {
					t.Fatalf("term %q", term)
				}
				if utf8.ValidString(s) && !utf8.Valid(term) {
					t.Fatalf("term %q of %q is not UTF-8", term, s)
				}
				if start < 0 || end > len(s) || start >= end || pos < last {
					t.Fatalf("span %d:%d pos %d after %d", start, end, pos, last)
				}
				last = pos
			})
		}
		for range 2 { // the second time words are remembered
			for _, lang := range []string{"en", "de", "fr", "tr"} {
				sameTerms(t, lang, s)
			}
		}
		again := text.Analyze(nil, s)
		if !slices.Equal(again, text.Analyze(nil, s)) {
			t.Fatal("not deterministic")
		}
	})
}

// sameTerms checks that what is remembered of words makes no other terms.
func sameTerms(t *testing.T, lang, s string) {
	t.Helper()
	read := func(each func(a *text.Analyzer, s string, yield func(term []byte, pos, start, end int))) (list []text.Token) {
		var a text.Analyzer
		a.Take(text.TongueOf(lang))
		each(&a, s, func(term []byte, pos, start, end int) {
			list = append(list, text.Token{Term: string(term), Pos: pos, Start: start, End: end})
		})
		return list
	}
	if diff := cmp.Diff(read((*text.Analyzer).EachAnew), read((*text.Analyzer).Each)); diff != "" {
		t.Fatalf("%s: %q (-anew +remembered)\n%s", lang, s, diff)
	}
}

// The terms of a text are the same whether its words have been met before, are met by many at once or push each other out.
func TestRememberedWords(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			stems := strings.Fields("run walk children went NASA Paris parseHTML O'Brien u.s.a don't the THE Straße naïve e.g. INV-20913 C++ F# a.b x_y iPhone URLs Mice went, Leaves. Chats; geese! " +
				"internationalise straightforwardly 12th 3.14 AB12 rock'n'roll Karl's l'homme Häuser sœur")
			for range 400 {
				var b strings.Builder
				for range 40 {
					switch w := stems[r.IntN(len(stems))]; r.IntN(3) {
					case 0:
						b.WriteString(w)
					case 1: // one of very many
						for range 1 + r.IntN(16) {
							b.WriteByte("aeiourstlnpdgmyWQ"[r.IntN(17)])
						}
					default:
						b.WriteString(strings.ToLower(w) + []string{"s", "ing", "ed", "ly", ""}[r.IntN(5)])
					}
					b.WriteString([]string{" ", " ", ", ", ". ", ".", "-", "/", ":", "\n", "’s ", "'", "(", "é"}[r.IntN(13)])
				}
				sameTerms(t, []string{"en", "de", "fr", "hu"}[r.IntN(4)], b.String())
			}
		})
	}
	all.Wait()
}

func BenchmarkAnalyze(b *testing.B) {
	s := strings.Repeat("The engineers were running distributed searches over large corpora of notes and messages. ", 5)
	var a text.Analyzer
	n := 0
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		a.Each(s, func([]byte, int, int, int) { n++ })
	}
}

func TestTongueIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, tongue string
		sure       bool
	}{
		{"Der Zahnarzttermin ist auf nächsten Dienstag verschoben worden, weil die Praxis geschlossen ist.", "de", true},
		{"La cita con el dentista se ha movido al martes porque la consulta estará cerrada.", "es", true},
		{"Le rendez-vous chez le dentiste est reporté à mardi, car le cabinet sera fermé.", "fr", true},
		{"L'appuntamento dal dentista è stato spostato a martedì perché lo studio sarà chiuso.", "it", true},
		{"A consulta no dentista foi adiada para terça-feira porque o consultório vai estar fechado.", "pt", true},
		{"De afspraak bij de tandarts is verzet naar dinsdag, omdat de praktijk dan gesloten is.", "nl", true},
		{"Tandläkartiden har flyttats till tisdag eftersom mottagningen är stängd.", "sv", true},
		{"Tandlægetiden er flyttet til tirsdag, fordi klinikken ikke har åbent, og jeg skal med.", "da", true},
		{"Tannlegetimen er flyttet til tirsdag fordi klinikken ikke har åpent, og jeg kan noe senere.", "no", true},
		{"Hammaslääkäriaika on siirretty tiistaille, koska vastaanotto ei ole auki ja minä en voi tulla.", "fi", true},
		{"A fogorvosi időpont keddre került, mert a rendelő nem lesz nyitva, és én sem érek rá.", "hu", true},
		{"Programarea la dentist a fost mutată pe marți pentru că cabinetul este închis și nu se poate altfel.", "ro", true},
		{"Dişçi randevusu salıya alındı çünkü muayenehane kapalı ve ben de o gün için uygun değilim.", "tr", true},
		{"The dentist's appointment has been moved to Tuesday because the practice will be closed.", "en", true},
		{"We drove from Los Angeles to Las Vegas in a van and met Die Antwoord at the Casa de la Luz.", "en", true},
		{"She has 200 coupons, a man bin, dem hat and a war movie on", "en", true},
		{"Dentist Tuesday 14:00", "en", false},
		{"die Rechnung", "en", false},
		{"INV-20931", "en", false},
		{"", "en", false},
		{"東京都に行く", "en", false},
	} {
		got, sure := text.TongueIn(c.in)
		if sure != c.sure || c.sure && got.Code() != c.tongue {
			t.Errorf("%q: %s %v, want %s %v", c.in, got.Code(), sure, c.tongue, c.sure)
		}
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	var de, both text.Tongues
	de = de.With(text.TongueOf("de"))
	both = de.With(text.TongueOf("fr")).With(text.English)
	for _, c := range []struct {
		in   text.Tongues
		s    string
		want string
	}{
		{0, "Zahnarzttermine in Häusern", "zahnarzttermin hausern"},
		{de, "Zahnarzttermine in Häusern", "zahnarzttermin hausern|haus"},
		{de, "wo sind die Rechnungen für das Auto", "rechnungen|rechnung auto"}, // sure: its stop words are left out
		{de, "die Rechnungen", "die rechnungen|rechnung"},                       // may be of English
		{both, "chansons", "chanson"},
		{both, "Rechnungen mangeaient", "rechnungen|rechnung mangeaient|mang"},
		{both, "parseHTML 東京", "parsehtml pars html 東京"},
	} {
		var a text.Analyzer
		var got []string
		for _, k := range a.Ask(c.s, c.in) {
			got = append(got, strings.Join(append([]string{k.Term}, k.Forms...), "|"))
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%q in %b: %q, want %q", c.s, c.in, g, c.want)
		}
	}
}

func BenchmarkTongueIn(b *testing.B) {
	s := strings.Repeat("The engineers were running distributed searches over large corpora of notes and messages. ", 5)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		text.TongueIn(s)
	}
}
