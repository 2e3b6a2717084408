CREATE TABLE events (
  id text PRIMARY KEY,
  type text NOT NULL,
  at timestamptz NOT NULL
);
