package brief

import "strings"

// The budget of recalled text.
const (
	Reserved      = 4096    // tokens kept for the answer
	MaxMemory     = 8000    // the most that recalled text may have
	share         = 4       // and a quarter of what is free
	UnknownWindow = 100_000 // of a model that no table knows
)

// Used counts the tokens that are spoken for in a prompt.
type Used struct {
	System  int // the system prompt
	History int // the turns before
	Message int // the user's message
}

// Allocation says how a context window is shared out. No number is negative.
type Allocation struct {
	Window    int `json:"window"`    // what the model holds
	Available int `json:"available"` // less what is used and reserved
	Memory    int `json:"memory"`    // for the brief: min(25 % of what is available, 8,000)
	Remaining int `json:"remaining"` // available less memory
}

// window is a model family's context size.
type window struct {
	prefix string
	tokens int
}

// windows are the context sizes known without configuration: those of the documents and of families current in 2026. The
// longest prefix wins.
var windows = []window{
	{"claude-3-opus", 200_000},
	{"claude-3-sonnet", 200_000},
	{"claude-", 200_000},
	{"claude-2", 100_000},
	{"claude-instant", 100_000},
	{"gpt-4-turbo", 128_000},
	{"gpt-4o", 128_000},
	{"chatgpt-4o", 128_000},
	{"gpt-4", 8_192},
	{"gpt-4-32k", 32_768},
	{"gpt-4-1106", 128_000},
	{"gpt-4-0125", 128_000},
	{"gpt-4.1", 1_047_576},
	{"gpt-4.5", 128_000},
	{"gpt-3.5-turbo", 16_385},
	{"gpt-5", 400_000},
	{"gpt-5-chat", 128_000},
	{"gpt-oss", 131_072},
	{"o1", 200_000},
	{"o1-mini", 128_000},
	{"o1-preview", 128_000},
	{"o3", 200_000},
	{"o4", 200_000},
	{"gemini-1.5-pro", 1_000_000},
	{"gemini-", 1_000_000},
	{"gemini-1.0", 32_760},
	{"gemini-pro", 32_760},
	{"gemma-3", 128_000},
	{"gemma3", 128_000},
	{"gemma", 8_192},
	{"llama-3", 8_192},
	{"llama3", 8_192},
	{"llama-3.1", 128_000},
	{"llama3.1", 128_000},
	{"llama-3.2", 128_000},
	{"llama3.2", 128_000},
	{"llama-3.3", 128_000},
	{"llama3.3", 128_000},
	{"llama-4", 1_000_000},
	{"llama4", 1_000_000},
	{"mistral", 32_000},
	{"mistral-large", 128_000},
	{"mistral-medium", 128_000},
	{"mistral-small", 128_000},
	{"mistral-nemo", 128_000},
	{"codestral", 256_000},
	{"mixtral", 32_000},
	{"ministral", 128_000},
	{"magistral", 40_000},
	{"qwen", 32_768},
	{"qwen2.5", 32_768},
	{"qwen3", 40_960},
	{"qwen-max", 32_768},
	{"qwen3-max", 256_000},
	{"qwen3-coder", 256_000},
	{"qwq", 32_768},
	{"deepseek", 128_000},
	{"command-r", 128_000},
	{"command-a", 256_000},
	{"grok-2", 131_072},
	{"grok-3", 131_072},
	{"grok-4", 256_000},
	{"phi-3", 128_000},
	{"phi-4", 16_384},
	{"kimi", 128_000},
	{"glm-4", 128_000},
	{"nova-", 300_000},
	{"nova-micro", 128_000},
	{"jamba", 256_000},
}

// Window returns the context size of a model in tokens. sizes, which may be nil, comes first: a key is a model's name or the
// beginning of it, without regard to case, and the longest that fits wins; sizes below 1 are passed over. A name may carry its vendor
// (openai/gpt-4o, models/gemini-1.5-pro, us.anthropic.claude-3-opus-v1). A model that is not known has 100,000.
func Window(model string, sizes map[string]int) int {
	full := strings.ToLower(strings.TrimSpace(model))
	for _, name := range names(full) {
		best, size := "", 0
		for key, n := range sizes {
			key = strings.ToLower(strings.TrimSpace(key))
			if n > 0 && key != "" && strings.HasPrefix(name, key) && (len(key) > len(best) || len(key) == len(best) && n > size) {
				best, size = key, n
			}
		}
		if best != "" {
			return size
		}
	}
	for _, name := range names(full) {
		best := window{}
		for _, w := range windows {
			if strings.HasPrefix(name, w.prefix) && len(w.prefix) > len(best.prefix) {
				best = w
			}
		}
		if best.tokens > 0 {
			return best.tokens
		}
	}
	return UnknownWindow
}

// names are a model's name and what remains of it behind each vendor before it.
func names(model string) []string {
	list := []string{model}
	rest := model
	if i := strings.LastIndexByte(rest, '/'); i >= 0 {
		rest = rest[i+1:]
		list = append(list, rest)
	}
	for range 3 { // region.vendor.model
		head, tail, ok := strings.Cut(rest, ".")
		if !ok || strings.ContainsAny(head, "0123456789") {
			break
		}
		rest = tail
		list = append(list, rest)
	}
	return list
}

// Budget shares out a model's window: what is used and 4,096 for the answer go first, a quarter of the rest, 8,000 at most, is
// for recalled text. sizes sets or adds context sizes; see [Window].
func Budget(model string, used Used, sizes map[string]int) Allocation {
	a := Allocation{Window: Window(model, sizes)}
	a.Available = a.Window
	for _, n := range []int{used.System, used.History, used.Message, Reserved} {
		a.Available = max(0, a.Available-max(0, n))
	}
	a.Memory = min(a.Available/share, MaxMemory)
	a.Remaining = a.Available - a.Memory
	return a
}
