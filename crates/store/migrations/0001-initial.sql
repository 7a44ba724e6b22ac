-- Who made this file, and with which version of the schema. For people; the program goes by user_version.
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row: the last sequence number given out. It is updated inside the writing transaction, so numbers become visible
-- in their order and a reader that has seen n never finds a smaller one later.
CREATE TABLE sequence (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  value INTEGER NOT NULL
) STRICT;
INSERT INTO sequence (one, value) VALUES (1, 0);

CREATE TABLE collections (
  id TEXT PRIMARY KEY,              -- "file:{hash}" or "pkg:{url}"
  type TEXT NOT NULL,               -- "file" or "pkg"

  -- file type fields:
  path TEXT,                        -- absolute path (normalized)
  glob TEXT,                        -- glob pattern

  -- pkg type fields:
  url TEXT,                         -- manifest or bundle URL
  manifest_hash TEXT,               -- for change detection

  -- sync state:
  last_sync_at TEXT,                -- ISO timestamp

  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- Counters kept in the transaction of every change, so that asking is one row however large the collection.
CREATE TABLE collection_state (
  collection TEXT PRIMARY KEY REFERENCES collections (id) ON DELETE CASCADE,
  documents INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  seq INTEGER NOT NULL,             -- of the last change
  pruned INTEGER NOT NULL           -- removals up to here are forgotten
) STRICT, WITHOUT ROWID;

-- Texts by the SHA-256 of their UTF-8 bytes, each once. An integer key with a unique hash beside it takes eight times
-- the rows per second of a table clustered by hash.
CREATE TABLE contents (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  size INTEGER NOT NULL,            -- unpacked
  codec INTEGER NOT NULL,           -- 0: as it is, 1: zstd
  data BLOB NOT NULL
) STRICT;

-- What planning a sync reads stands first: SQLite decodes a row from the front.
CREATE TABLE reference_documents (
  id INTEGER PRIMARY KEY,           -- the sequence number of the put that made it, so never given twice
  collection TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  hash BLOB NOT NULL,               -- SHA-256 of the source's bytes
  seq INTEGER NOT NULL,             -- of the last put
  stat_size INTEGER,                -- the four are null together: no stamp that can be trusted
  stat_mtime_ns INTEGER,
  stat_ctime_ns INTEGER,
  stat_inode INTEGER,
  content INTEGER NOT NULL REFERENCES contents (id),
  size INTEGER NOT NULL,            -- of the text, in bytes
  lines INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  replaced INTEGER NOT NULL,
  redacted INTEGER NOT NULL,
  language TEXT NOT NULL,
  encoding TEXT NOT NULL,
  title TEXT,
  updated_at TEXT NOT NULL,
  UNIQUE (collection, path)
) STRICT;
CREATE UNIQUE INDEX reference_documents_by_seq ON reference_documents (collection, seq);
CREATE INDEX reference_documents_by_content ON reference_documents (content);

-- Clustered by document: a document's chunks are written, read and deleted together, and new documents append.
CREATE TABLE reference_document_chunks (
  document INTEGER NOT NULL REFERENCES reference_documents (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  byte_start INTEGER NOT NULL,
  byte_end INTEGER NOT NULL,
  line_start INTEGER NOT NULL,
  line_end INTEGER NOT NULL,
  path TEXT NOT NULL,               -- JSON array: headings or symbols, outermost first
  kind TEXT NOT NULL,
  language TEXT,                    -- null: the document's
  hash BLOB,                        -- SHA-256 of the chunk's text
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstones (
  seq INTEGER PRIMARY KEY,
  collection TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
  document INTEGER NOT NULL,
  path TEXT NOT NULL
) STRICT;
CREATE INDEX tombstones_by_collection ON tombstones (collection, seq);
