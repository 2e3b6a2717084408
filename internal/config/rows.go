package config

import (
	"net/url"
	"strings"
)

// Rows tells where rows are kept, as it may be shown: without name and password. It is "" for a file in the data directory.
func (c Config) Rows() string {
	if c.StoreProvider != "postgres" {
		return ""
	}
	where := "PostgreSQL"
	if u, err := url.Parse(c.StoreURL); err == nil && u.Host != "" {
		where += " at " + u.Host + "/" + strings.TrimPrefix(u.Path, "/")
	}
	where += ", schema " + c.StoreSchema
	if c.StoreReplica != "" {
		where += ", with a replica to read from"
	}
	return where
}
