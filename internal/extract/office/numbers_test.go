package office

import "testing"

func TestNumbersMeanWhatTheirFormatSays(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		code, raw, want string
		from1904        bool
	}{
		{"General", "1234.5", "1234.5", false},
		{"General", "1E+20", "1e+20", false},
		{"0.00", "0.1", "0.1", false},
		{"0.0%", "0.125", "12.5%", false},
		{"yyyy\\-mm\\-dd", "36525", "1999-12-31", false},
		{"yyyy\\-mm\\-dd", "1", "1900-01-01", false},
		{"yyyy\\-mm\\-dd", "59", "1900-02-28", false},
		{"yyyy\\-mm\\-dd", "61", "1900-03-01", false},
		{"d/m/yy", "0", "1904-01-01", true},
		{"[$-407]d. mmmm yyyy;@", "45413.5", "2024-05-01 12:00", false},
		{"dd\\.mm\\.yyyy\\ hh:mm", "45413.9999999", "2024-05-02 00:00", false},
		{"hh:mm:ss AM/PM", "0.75", "18:00", false},
		{"mm:ss.0", "0.000115740740740741", "00:00:10", false},
		{"[h]:mm:ss", "1.5", "36:00:00", false},
		{"[mm]:ss", "-0.5", "-12:00:00", false},
		{`#,##0.00\ [$€-407]`, "12.5", "12.5 €", false},
		{`"$"#,##0.00`, "12.5", "$12.5", false},
		{`[$USD]\ #,##0`, "7", "USD 7", false},
		{`#,##0.00;[Red]-#,##0.00`, "-3", "-3", false},
		{`"TRUE";"TRUE";"FALSE"`, "0", "FALSE", false},
		{`0.00E+00`, "12000", "12000", false},
		{`"days: "0`, "3", "3", false},
		{`_-* #,##0_-;\-* #,##0_-`, "5", "5", false},
		{"yyyy", "1e300", "1e+300", false},
		{"yyyy", "-1", "-1", false},
		{"General", "words", "words", false},
		{"General", "NaN", "NaN", false},
	} {
		if got, _ := parseFormat(row.code).write(row.raw, row.from1904); got != row.want {
			t.Errorf("%s as %s: %q, want %q", row.raw, row.code, got, row.want)
		}
	}
	for id, want := range map[int]string{0: "45413", 10: "4541300%", 14: "2024-05-01", 20: "2024-05-01 00:00", 22: "2024-05-01 00:00", 46: "1089912:00:00", 9999: "45413"} {
		if got, _ := builtinFormat(id).write("45413", false); got != want {
			t.Errorf("format %d: %q, want %q", id, got, want)
		}
	}
}

func TestPeriods(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"PT26H05M00S": "26:05:00", "PT1.5S": "0:00:01", "-PT1H": "-1:00:00", "P1D": "P1D", "": ""} {
		if got := periodOf(in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}
