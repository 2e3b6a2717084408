package embed

import "strings"

// ProfileOf returns a starting point for a remote model by its name: the range that cosines of its family are known for.
// These are not measurements of ours; a configuration may replace them. MaxTokens is from the models' own cards.
func ProfileOf(model string) Profile {
	name := strings.ToLower(model)
	for _, f := range families {
		if strings.Contains(name, f.part) {
			return f.profile
		}
	}
	return Profile{Related: 0.50, Near: 0.85, VectorWeight: 0.6, MaxTokens: 512}
}

// families are tried in order; part is looked for in the lower-cased name.
var families = []struct {
	part    string
	profile Profile
}{
	{"text-embedding-3", Profile{Related: 0.35, Near: 0.80, VectorWeight: 0.6, MaxTokens: 8191}},
	{"text-embedding-ada-002", Profile{Related: 0.80, Near: 0.93, VectorWeight: 0.6, MaxTokens: 8191}},
	{"nomic-embed", Profile{Related: 0.60, Near: 0.88, VectorWeight: 0.6, MaxTokens: 8192}},
	{"minilm", Profile{Related: 0.40, Near: 0.80, VectorWeight: 0.6, MaxTokens: 256}},
	{"bge-m3", Profile{Related: 0.55, Near: 0.85, VectorWeight: 0.6, MaxTokens: 8192}},
	{"bge-", Profile{Related: 0.65, Near: 0.90, VectorWeight: 0.6, MaxTokens: 512}},
	{"e5-", Profile{Related: 0.80, Near: 0.93, VectorWeight: 0.6, MaxTokens: 512}},
	{"gte-", Profile{Related: 0.80, Near: 0.93, VectorWeight: 0.6, MaxTokens: 512}},
}
