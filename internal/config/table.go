package config

import (
	"math"
	"slices"
	"strings"
	"time"
)

// A Setting is the declaration of one setting.
type Setting struct {
	Key    string // as the file spells it, like embed.provider
	Doc    string // one line
	Rule   string // what is accepted
	Secret bool   // never shown, and not settable by a flag, as other users of the machine can read command lines
	Switch bool   // its flag needs no value
	Alias  []Alias

	kind kind
}

// An Alias is a name that other programs use for a setting. It counts less than any of our own spellings. When narrows it
// to one value of a setting before it, as "embed.provider=openai"; Means translates values that are spelled otherwise.
type Alias struct {
	Env   string
	When  string
	Means map[string]string
}

// Env returns the environment variable of the setting.
func (s Setting) Env() string {
	return "LUKASA_" + strings.ToUpper(strings.ReplaceAll(s.Key, ".", "_"))
}

// Flag returns the flag of the setting without its dashes, "" if it has none.
func (s Setting) Flag() string {
	if s.Secret {
		return ""
	}
	return strings.NewReplacer(".", "-", "_", "-").Replace(s.Key)
}

// Default returns the value of a first start.
func (s Setting) Default() string {
	c := Default()
	return s.kind.show(&c)
}

func declare(key, doc string, k kind) Setting {
	return Setting{Key: key, Doc: doc, Rule: k.rule, Switch: k.toggle, kind: k}
}

func secret(s Setting) Setting {
	s.Secret = true
	return s
}

func alias(s Setting, a ...Alias) Setting {
	s.Alias = a
	return s
}

const unbounded = math.MaxInt32

// Settings returns the table of all settings, in the order of the documentation.
func Settings() []Setting {
	list := []Setting{
		declare("data", "the data directory", text(func(c *Config) *string { return &c.Data }, "a directory", nil)),
		declare("listen", "the address that serve listens on; port 0 takes a free one", text(func(c *Config) *string { return &c.Listen }, "HOST:PORT", hostPort)),
		secret(declare("api_key", "presets the first key, and is the key that commands send to a server", text(func(c *Config) *string { return &c.APIKey }, "16 characters or more", nil))),
		secret(declare("master_key", "the key that wraps all others, 64 hexadecimal digits or base64; otherwise master.key in the data directory", text(func(c *Config) *string { return &c.MasterKey }, "32 bytes", nil))),
		declare("log.level", "what is logged", oneOf(func(c *Config) *string { return &c.LogLevel }, "debug", "info", "warn", "error")),
		declare("log.format", "how it is logged; auto is text on a terminal and JSON elsewhere", oneOf(func(c *Config) *string { return &c.LogFormat }, "auto", "text", "json")),
		declare("tls.cert", "certificate chain in PEM; serve then speaks HTTPS, TLS 1.3", text(func(c *Config) *string { return &c.TLSCert }, "a file", nil)),
		declare("tls.key", "private key of the certificate in PEM", text(func(c *Config) *string { return &c.TLSKey }, "a file", nil)),
		declare("cors.origins", "web pages that may ask from a browser, as their origins with commas, like https://app.example.org; * stands for all, without credentials of the browser's own; none if empty", text(func(c *Config) *string { return &c.CORSOrigins }, "origins, or *", origins)),

		declare("rate.limit", "requests a minute and key; 0 lifts the limit", integer(func(c *Config) *int { return &c.RateLimit }, 0, unbounded)),
		declare("rate.burst", "requests that may come at once", integer(func(c *Config) *int { return &c.RateBurst }, 1, unbounded)),
		declare("request.timeout", "the longest that a request may take", duration(func(c *Config) *time.Duration { return &c.RequestTimeout }, time.Second, time.Hour)),
		declare("limit.body", "the largest request", size(func(c *Config) *int64 { return &c.MaxBody }, 1<<10, 4<<30)),
		declare("limit.file", "the largest file", size(func(c *Config) *int64 { return &c.MaxFile }, 1<<10, 4<<30)),
		declare("limit.characters", "the longest text", integer(func(c *Config) *int { return &c.MaxCharacters }, 1, unbounded)),
		declare("limit.html", "characters that are kept of a web page", integer(func(c *Config) *int { return &c.HTMLLimit }, 1000, unbounded)),
		declare("limit.inline", "text up to this is worked off before the answer, more in the background", size(func(c *Config) *int { return &c.InlineBytes }, 0, 1<<30)),

		declare("chunk.tokens", "the longest chunk", integer(func(c *Config) *int { return &c.ChunkTokens }, 32, 8192)),
		declare("chunk.overlap", "tokens that neighbouring chunks share", integer(func(c *Config) *int { return &c.ChunkOverlap }, 0, 4096)),
		declare("workers", "background workers", integer(func(c *Config) *int { return &c.Workers }, 1, 64)),
	}
	return slices.Concat(list, storeSettings(), blobSettings(), embedSettings(), modelSettings(), searchSettings(), memorySettings(), userSettings())
}

// blobSettings say where large files are kept. The variables of Amazon's own tools count too, where s3 is chosen.
func blobSettings() []Setting {
	const s3 = "blob.provider=s3"
	return []Setting{
		declare("blob.provider", "where large files are kept, sealed: disk, in the data directory, or s3, in a bucket of any server that speaks it", oneOf(func(c *Config) *string { return &c.BlobProvider }, "disk", "s3")),
		alias(declare("blob.url", "the server of s3, without the bucket; https://s3.REGION.amazonaws.com is Amazon's", text(func(c *Config) *string { return &c.BlobURL }, "an http or https address", webAddress)),
			Alias{Env: "AWS_ENDPOINT_URL_S3", When: s3}),
		declare("blob.bucket", "the bucket, which must be there", text(func(c *Config) *string { return &c.BlobBucket }, "a name", nil)),
		declare("blob.prefix", "a folder in the bucket, so that several can share it", text(func(c *Config) *string { return &c.BlobPrefix }, "lower-case letters, digits, -, _, . and /", nil)),
		alias(declare("blob.region", "the bucket's region; only Amazon and few others need it", text(func(c *Config) *string { return &c.BlobRegion }, "a name", nil)),
			Alias{Env: "AWS_REGION", When: s3}),
		alias(declare("blob.access_key", "the name of the key to the bucket", text(func(c *Config) *string { return &c.BlobAccessKey }, "a text", nil)),
			Alias{Env: "AWS_ACCESS_KEY_ID", When: s3}),
		alias(secret(declare("blob.secret_key", "the key to the bucket", text(func(c *Config) *string { return &c.BlobSecretKey }, "a text", nil))),
			Alias{Env: "AWS_SECRET_ACCESS_KEY", When: s3}),
	}
}

// storeSettings say where the rows are kept.
func storeSettings() []Setting {
	return []Setting{
		declare("role", "what this process does: answer requests, work in the background, or both; api and worker need a store that several machines share", oneOf(func(c *Config) *string { return &c.Role }, "all", "api", "worker")),
		declare("drain", "how long a node with a shared store that is told to stop still answers, while /ready says no, so that balancers turn to others", duration(func(c *Config) *time.Duration { return &c.Drain }, 0, 5*time.Minute)),
		declare("store.provider", "where rows are kept: in a file in the data directory, or in PostgreSQL", oneOf(func(c *Config) *string { return &c.StoreProvider }, "sqlite", "postgres")),
		alias(secret(declare("store.url", "PostgreSQL's address, like postgres://user:password@host:5432/database", text(func(c *Config) *string { return &c.StoreURL }, "a postgres address", nil))),
			Alias{Env: "DATABASE_URL", When: "store.provider=postgres"}),
		secret(declare("store.admin_url", "the same for the role that owns the schema and changes it; without it that of store.url does", text(func(c *Config) *string { return &c.StoreAdmin }, "a postgres address", nil))),
		secret(declare("store.replica_url", "the same for a server that follows, to read from", text(func(c *Config) *string { return &c.StoreReplica }, "a postgres address", nil))),
		declare("store.pooled", "store.url leads to a pool that gives a connection to each transaction, like PgBouncer", boolean(func(c *Config) *bool { return &c.StorePooled })),
		declare("store.connections", "connections to PostgreSQL at most", integer(func(c *Config) *int { return &c.StoreConns }, 2, 1000)),
		declare("store.schema", "PostgreSQL's schema; several installations may share a database", text(func(c *Config) *string { return &c.StoreSchema }, "a name", schemaName)),
		declare("index.provider", "where searches look: local, in the memory of each process, or pgvector, in the PostgreSQL that keeps the rows", oneOf(func(c *Config) *string { return &c.IndexProvider }, "local", "pgvector")),
	}
}

func embedSettings() []Setting {
	return []Setting{
		alias(declare("embed.provider", "who makes the vectors", oneOf(func(c *Config) *string { return &c.EmbedProvider }, "builtin", "local", "openai", "tei", "ollama")),
			Alias{Env: "EMBEDDING_PROVIDER", Means: map[string]string{"local": "builtin", "sentence-transformers": "builtin"}}),
		alias(declare("embed.model", "the model; each provider has a default; of local, a folder in the layout of sentence-transformers", text(func(c *Config) *string { return &c.EmbedModel }, "a name", nil)),
			Alias{Env: "EMBEDDING_MODEL"}),
		alias(declare("embed.url", "where the provider answers; each has a default", text(func(c *Config) *string { return &c.EmbedURL }, "an http or https address", webAddress)),
			Alias{Env: "OLLAMA_BASE_URL", When: "embed.provider=ollama"}),
		alias(secret(declare("embed.key", "the provider's key", text(func(c *Config) *string { return &c.EmbedKey }, "a text", nil))),
			Alias{Env: "OPENAI_API_KEY", When: "embed.provider=openai"}),
		declare("embed.dim", "dimensions to ask for; 0 takes what the model gives", integer(func(c *Config) *int { return &c.EmbedDim }, 0, 16384)),
		declare("embed.batch", "texts in one call", integer(func(c *Config) *int { return &c.EmbedBatch }, 1, 2048)),
	}
}

func modelSettings() []Setting {
	return []Setting{
		alias(declare("llm.provider", "the language model that distils, summarises and chats; none: rules do, and there is no chat", oneOf(func(c *Config) *string { return &c.LLMProvider }, "none", "openai", "anthropic", "gemini", "ollama")),
			Alias{Env: "LLM_PROVIDER", Means: map[string]string{"google": "gemini", "claude": "anthropic"}}),
		alias(declare("llm.model", "its name", text(func(c *Config) *string { return &c.LLMModel }, "a name", nil)), Alias{Env: "LLM_MODEL"}),
		alias(declare("llm.url", "where it answers; each provider has a default, and openai is what most others speak too", text(func(c *Config) *string { return &c.LLMURL }, "an http or https address", webAddress)),
			Alias{Env: "OLLAMA_BASE_URL", When: "llm.provider=ollama"}, Alias{Env: "OPENAI_BASE_URL", When: "llm.provider=openai"}),
		alias(secret(declare("llm.key", "its key", text(func(c *Config) *string { return &c.LLMKey }, "a text", nil))),
			Alias{Env: "OPENAI_API_KEY", When: "llm.provider=openai"}, Alias{Env: "ANTHROPIC_API_KEY", When: "llm.provider=anthropic"},
			Alias{Env: "GEMINI_API_KEY", When: "llm.provider=gemini"}, Alias{Env: "GOOGLE_API_KEY", When: "llm.provider=gemini"}),
		declare("llm.tokens", "tokens a day that may be spent on background work; 0 lifts the limit", integer(func(c *Config) *int { return &c.LLMTokens }, 0, unbounded)),
		declare("llm.timeout", "the longest that one answer may take", duration(func(c *Config) *time.Duration { return &c.LLMTimeout }, time.Second, time.Hour)),
		declare("llm.window", "tokens that models read, where that is not known or should be less: a number, or names with numbers, like gpt-4o=64000, llama=8192", text(func(c *Config) *string { return &c.LLMWindow }, "a number, or name=number pairs", windows)),
		declare("see", "let the language model read pictures and scans, too, where tesseract is not there or sees nothing", boolean(func(c *Config) *bool { return &c.See })),
		declare("hear.provider", "who turns speech into text; openai is what Groq, whisper.cpp and others speak too", oneOf(func(c *Config) *string { return &c.HearProvider }, "none", "openai")),
		declare("hear.url", "where it answers", text(func(c *Config) *string { return &c.HearURL }, "an http or https address", webAddress)),
		alias(secret(declare("hear.key", "its key", text(func(c *Config) *string { return &c.HearKey }, "a text", nil))),
			Alias{Env: "OPENAI_API_KEY", When: "hear.provider=openai"}),
		declare("hear.model", "its model", text(func(c *Config) *string { return &c.HearModel }, "a name", nil)),
	}
}

func memorySettings() []Setting {
	return []Setting{
		declare("distil", "how memories are drawn from what is kept: by rules, by rules and the configured model, or not at all", oneOf(func(c *Config) *string { return &c.Distil }, "rules", "model", "off")),
		declare("segment.tokens", "tokens after which a conversation goes on in a new segment, at the next clean break", integer(func(c *Config) *int { return &c.SegmentTokens }, 1000, 10_000_000)),
		declare("segment.silence", "silence after which what follows is a new segment; 0: never", duration(func(c *Config) *time.Duration { return &c.SegmentSilence }, 0, 365*24*time.Hour)),
		declare("file.dormant", "a file that nobody has used for this long is compressed hard", duration(func(c *Config) *time.Duration { return &c.FileDormant }, time.Minute, 3650*24*time.Hour)),
		declare("file.awake", "how long a file that was woken stays awake", duration(func(c *Config) *time.Duration { return &c.FileAwake }, time.Minute, 24*time.Hour)),
		declare("nodes.auto", "content that names no container goes to the one that it fits, or that it makes", boolean(func(c *Config) *bool { return &c.NodesAuto })),
		declare("nodes.threshold", "how sure that must be; else it goes to the container default", number(func(c *Config) *float64 { return &c.NodesThreshold }, 0.05, 1)),
		declare("trash.keep", "how long what is put into the trash can be taken out again", duration(func(c *Config) *time.Duration { return &c.TrashKeep }, 0, 3650*24*time.Hour)),
	}
}

// userSettings are limits of a user. Admins, and keys without limits, are not held to them; a user's own settings count more.
func userSettings() []Setting {
	return []Setting{
		declare("user.files", "documents, in all versions, and stretches of conversations that a user may have; 0 lifts the limit", integer(func(c *Config) *int { return &c.UserFiles }, 0, unbounded)),
		declare("user.storage", "what a user's texts and sealed files may take; 0 lifts the limit", size(func(c *Config) *int64 { return &c.UserStorage }, 0, 1<<50)),
		declare("user.sessions", "conversations that a user may hold at once: those with a message within the hour; 0 lifts the limit", integer(func(c *Config) *int { return &c.UserSessions }, 0, unbounded)),
		declare("user.requests", "requests a minute and user, over all keys of the user; 0 lifts the limit", integer(func(c *Config) *int { return &c.UserRequests }, 0, unbounded)),
	}
}

func searchSettings() []Setting {
	return []Setting{
		declare("fetch.private", "fetch from private, loopback and link-local addresses too", boolean(func(c *Config) *bool { return &c.FetchPrivate })),
		declare("fetch.timeout", "the longest that fetching a page may take", duration(func(c *Config) *time.Duration { return &c.FetchTimeout }, time.Second, time.Hour)),
		declare("rank.default", "how results are ordered when a search does not say", oneOf(func(c *Config) *string { return &c.Ranker }, "lukasa", "weighted", "cascade", "vector", "text", "rrf")),
		declare("rank.vector", "weight of meaning", number(func(c *Config) *float64 { return &c.RankVector }, 0, 100)),
		declare("rank.text", "weight of words", number(func(c *Config) *float64 { return &c.RankText }, 0, 100)),
		declare("rank.recency", "weight of youth", number(func(c *Config) *float64 { return &c.RankRecency }, 0, 100)),
		declare("rank.days", "days after which youth has fallen to 1/e", number(func(c *Config) *float64 { return &c.RankDays }, 0.01, 36500)),
		declare("rank.whole", "relevance from which on the ranker cascade brings the whole text along, a conversation's transcript for example; over 1: never", number(func(c *Config) *float64 { return &c.RankWhole }, 0.01, 2)),
		declare("rerank.provider", "who judges the best hits again; none: nobody", oneOf(func(c *Config) *string { return &c.RerankProvider }, "none", "tei", "cohere")),
		declare("rerank.url", "where the reranker answers; cohere is also what Jina and others speak", text(func(c *Config) *string { return &c.RerankURL }, "an http or https address", webAddress)),
		secret(declare("rerank.key", "the reranker's key", text(func(c *Config) *string { return &c.RerankKey }, "a text", nil))),
		declare("rerank.model", "the reranker's model; cohere needs it", text(func(c *Config) *string { return &c.RerankModel }, "a name", nil)),
		declare("rerank.timeout", "how long a search waits for the reranker", duration(func(c *Config) *time.Duration { return &c.RerankTimeout }, 50*time.Millisecond, 10*time.Second)),
		declare("rerank.top", "how many hits are judged again", integer(func(c *Config) *int { return &c.RerankTop }, 1, 100)),
		declare("search.expand", "who says the query in other words, to search for these too; model is the one of llm.provider, which is asked at every search by the ranker lukasa", oneOf(func(c *Config) *string { return &c.Expand }, "none", "model")),
		declare("search.expand_timeout", "how long a search waits for that; then it goes on without", duration(func(c *Config) *time.Duration { return &c.ExpandTimeout }, 50*time.Millisecond, 30*time.Second)),
		declare("cache.provider", "where search results, vectors from afar and request limits are kept for a while: in each process, or in a Redis server that several nodes share", oneOf(func(c *Config) *string { return &c.CacheProvider }, "memory", "redis")),
		alias(secret(declare("cache.url", "Redis's address, like redis://user:password@host:6379/0; rediss:// for TLS", text(func(c *Config) *string { return &c.CacheURL }, "a redis address", nil))),
			Alias{Env: "REDIS_URL", When: "cache.provider=redis"}),
		declare("cache.prefix", "what begins every key in Redis; installations that share a server, copies of one too, need different ones", text(func(c *Config) *string { return &c.CachePrefix }, "a text", nil)),
		declare("cache.ttl", "how long a search result may be kept", duration(func(c *Config) *time.Duration { return &c.CacheTTL }, 0, 24*time.Hour)),
		declare("cache.size", "memory of the cache", size(func(c *Config) *int64 { return &c.CacheBytes }, 64<<10, 64<<30)),
	}
}
