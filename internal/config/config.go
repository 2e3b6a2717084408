// Package config declares every setting once: its name, its default, what it does, and how the file, the environment and
// the command line spell it. A setting that is not known is an error.
package config

import "time"

// Config is what is in force. The zero value is not useful: start from [Default].
type Config struct {
	Data   string // the data directory
	Listen string // HOST:PORT

	Role  string // all, api, worker
	Drain time.Duration

	StoreProvider string // sqlite, postgres
	StoreURL      string
	StoreAdmin    string // of the role that owns the schema
	StoreReplica  string // of a server that follows
	StorePooled   bool   // the URL leads to PgBouncer or its like
	StoreConns    int
	StoreSchema   string

	IndexProvider string // local, pgvector

	APIKey    string // presets the first key
	MasterKey string // hex or base64; "" means the file in the data directory
	LogLevel  string // debug, info, warn, error
	LogFormat string // auto, text, json

	TLSCert string
	TLSKey  string

	CORSOrigins string // web pages that may ask from a browser; see ParseOrigins

	RateLimit      int // requests a minute and key; 0 lifts the limit
	RateBurst      int
	RequestTimeout time.Duration
	MaxBody        int64 // bytes of a request
	MaxFile        int64 // bytes of a file
	MaxCharacters  int   // of a text
	InlineBytes    int   // text up to this is worked off before the answer

	ChunkTokens  int
	ChunkOverlap int
	HTMLLimit    int // characters kept of a page
	Workers      int // of background jobs

	BlobProvider  string // disk, s3
	BlobURL       string
	BlobBucket    string
	BlobPrefix    string
	BlobRegion    string
	BlobAccessKey string
	BlobSecretKey string

	EmbedProvider string // builtin, local, openai, tei, ollama
	EmbedModel    string
	EmbedURL      string
	EmbedKey      string
	EmbedDim      int
	EmbedBatch    int

	LLMProvider string // none, openai, anthropic, gemini, ollama
	LLMModel    string
	LLMURL      string
	LLMKey      string
	LLMTokens   int // a day, for background work; 0 lifts the limit
	LLMTimeout  time.Duration
	LLMWindow   string // context sizes; see ParseWindows
	See         bool   // the language model reads pictures

	HearProvider string // none, openai
	HearURL      string
	HearKey      string
	HearModel    string

	Distil         string // rules, model, off
	SegmentTokens  int
	SegmentSilence time.Duration
	FileDormant    time.Duration
	FileAwake      time.Duration
	TrashKeep      time.Duration

	UserFiles      int     // of a user; 0 lifts the limit
	UserStorage    int64   // bytes
	UserSessions   int     // conversations at once
	UserRequests   int     // a minute, over all keys
	NodesAuto      bool    // content without a container goes where it belongs
	NodesThreshold float64 // how sure that must be

	FetchPrivate bool // allow private addresses
	FetchTimeout time.Duration

	Ranker      string
	RankVector  float64
	RankText    float64
	RankRecency float64
	RankDays    float64
	RankWhole   float64

	RerankProvider string // none, tei, cohere
	RerankURL      string
	RerankKey      string
	RerankModel    string
	RerankTimeout  time.Duration
	RerankTop      int

	Expand        string // none, model
	ExpandTimeout time.Duration

	CacheProvider string // memory, redis
	CacheURL      string
	CachePrefix   string

	CacheTTL   time.Duration
	CacheBytes int64
}

// Default returns the settings of a first start.
func Default() Config {
	return Config{
		Data: "data", Listen: "127.0.0.1:7077", Role: "all", Drain: 2 * time.Second, StoreProvider: "sqlite", StoreConns: 16, StoreSchema: "lukasa", IndexProvider: "local", LogLevel: "info", LogFormat: "auto",
		RateLimit: 100, RateBurst: 10, RequestTimeout: 30 * time.Second, MaxBody: 10 << 20, MaxFile: 10 << 20, MaxCharacters: 500_000,
		InlineBytes: 64 << 10, ChunkTokens: 480, ChunkOverlap: 50, HTMLLimit: 100_000, Workers: 2,
		LLMProvider: "none", LLMTokens: 1_000_000, LLMTimeout: 2 * time.Minute, HearProvider: "none",
		Distil: "rules", SegmentTokens: 50_000, SegmentSilence: 6 * time.Hour, FileDormant: 7 * 24 * time.Hour, FileAwake: 30 * time.Minute, TrashKeep: 30 * 24 * time.Hour,
		UserFiles: 100_000, UserStorage: 50 << 30, UserSessions: 10, UserRequests: 60,
		NodesThreshold: 0.7,
		BlobProvider:   "disk",
		EmbedProvider:  "builtin", EmbedBatch: 64, FetchTimeout: 30 * time.Second,
		Ranker: "lukasa", RankVector: 0.6, RankText: 0.4, RankRecency: 0.1, RankDays: 30, RankWhole: 0.9,
		RerankProvider: "none", RerankTimeout: 800 * time.Millisecond, RerankTop: 100,
		Expand: "none", ExpandTimeout: 2 * time.Second,
		CacheProvider: "memory", CachePrefix: "lukasa:", CacheTTL: 5 * time.Minute, CacheBytes: 16 << 20,
	}
}
