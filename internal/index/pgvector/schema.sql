-- The tables of one generation of the index. The program writes what stands in braces: {n} is the generation's number, {vector} the type of
-- its vectors. Nodes have numbers, which stand in the place of owner and node in postings and terms; entries have numbers, which stand
-- in postings. Texts are compared by their bytes, as ids are in Go.

CREATE TABLE nodes_{n} (
  n         INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner_id  TEXT COLLATE "C" NOT NULL,
  node_id   TEXT COLLATE "C" NOT NULL,
  loaded    BOOLEAN NOT NULL DEFAULT FALSE,
  entries   BIGINT NOT NULL DEFAULT 0, -- all
  vectors   BIGINT NOT NULL DEFAULT 0, -- those with a vector
  latest    BIGINT NOT NULL DEFAULT 0, -- those that are the latest, and
  length    BIGINT NOT NULL DEFAULT 0, -- how many terms these have
  tongues   BIGINT NOT NULL DEFAULT 0, -- that entries are in, or were: a set, by bit
  UNIQUE (owner_id, node_id)
);

CREATE TABLE entries_{n} (
  n         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner_id  TEXT COLLATE "C" NOT NULL,
  node      INTEGER NOT NULL,
  entry_id  TEXT COLLATE "C" NOT NULL,
  type      TEXT NOT NULL,
  document  TEXT NOT NULL,
  session   TEXT COLLATE "C" NOT NULL, -- which entries stand beside one another; '' for none
  seq       BIGINT NOT NULL,
  when_s    BIGINT NOT NULL, -- seconds since 1970, and nanoseconds
  when_n    INTEGER NOT NULL,
  made_s    BIGINT NOT NULL,
  made_n    INTEGER NOT NULL,
  confidence DOUBLE PRECISION, -- NULL is no number
  latest    BOOLEAN NOT NULL,
  labels    TEXT[] COLLATE "C" NOT NULL, -- what filters ask for: see filter.go
  length    INTEGER NOT NULL, -- how many terms there are, and
  head      INTEGER NOT NULL, -- how many of them are of title and speaker
  speaker   TEXT NOT NULL,
  role      TEXT NOT NULL,
  terms     TEXT COLLATE "C" NOT NULL, -- in order, with spaces between
  v         {vector}, -- of unit length
  UNIQUE (node, entry_id)
) WITH (fillfactor = 85);
CREATE INDEX entries_{n}_session ON entries_{n} (node, session, seq, entry_id) WHERE session <> '';

CREATE TABLE postings_{n} (
  node    INTEGER NOT NULL,
  term    TEXT COLLATE "C" NOT NULL,
  entry   BIGINT NOT NULL,
  tf      INTEGER NOT NULL,
  length  INTEGER NOT NULL,
  latest  BOOLEAN NOT NULL,
  PRIMARY KEY (node, term, entry) INCLUDE (tf, length, latest)
);

CREATE TABLE terms_{n} (
  node  INTEGER NOT NULL,
  term  TEXT COLLATE "C" NOT NULL,
  df    BIGINT NOT NULL, -- latest entries that have it
  word  TEXT NOT NULL, -- as it stood in the text where it was first met
  PRIMARY KEY (node, term)
) WITH (fillfactor = 85);
