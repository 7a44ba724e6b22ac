-- Collections have a number, which documents name in place of their id: it stands in three places for each of them. Its column
-- has a name of its own: a process of the version before, still running, would else look for ids among numbers, find no document
-- and index that.
CREATE TABLE numbered_collections (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,          -- "file:{hash}" or "pkg:{url}"
  type TEXT NOT NULL,
  path TEXT,
  glob TEXT,
  url TEXT,
  manifest_hash TEXT,
  last_sync_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
INSERT INTO numbered_collections (id, type, path, glob, url, manifest_hash, last_sync_at, created_at, updated_at)
  SELECT id, type, path, glob, url, manifest_hash, last_sync_at, created_at, updated_at FROM collections;
DROP TABLE collections;
ALTER TABLE numbered_collections RENAME TO collections;

CREATE TABLE numbered_documents (
  id INTEGER PRIMARY KEY,           -- the sequence number of the put that made it, so never given twice
  collection_number INTEGER NOT NULL REFERENCES collections (number) ON DELETE CASCADE,
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
  updated_at INTEGER NOT NULL,      -- milliseconds since 1970
  source_size INTEGER NOT NULL,     -- of the source's bytes, before decoding and redaction; 0: it was not noted
  converter TEXT,                   -- what made the text out of its source, as pdf/1; null: it was not noted
  UNIQUE (collection_number, path)
) STRICT;
INSERT INTO numbered_documents
  (id, collection_number, path, hash, seq, stat_size, stat_mtime_ns, stat_ctime_ns, stat_inode, content, size, lines, chunks,
   replaced, redacted, language, encoding, title, updated_at, source_size, converter)
  SELECT d.id, c.number, d.path, d.hash, d.seq, d.stat_size, d.stat_mtime_ns, d.stat_ctime_ns, d.stat_inode, d.content,
   d.size, d.lines, d.chunks, d.replaced, d.redacted, d.language, d.encoding, d.title,
   coalesce(CAST(round(unixepoch(d.updated_at, 'subsec') * 1000) AS INTEGER), 0), d.source_size,
   d.converter
  FROM reference_documents d JOIN collections c ON c.id = d.collection ORDER BY d.id;
DROP TABLE reference_documents;
ALTER TABLE numbered_documents RENAME TO reference_documents;
CREATE UNIQUE INDEX reference_documents_by_seq ON reference_documents (collection_number, seq);
CREATE INDEX reference_documents_by_content ON reference_documents (content);

-- Texts of documents as they were before their last change. An index does not keep the texts that it is made of, so one that
-- has not followed yet is read with these.
CREATE TABLE replaced_texts (
  document INTEGER NOT NULL,
  put INTEGER NOT NULL,             -- the sequence number that the text came with
  hash BLOB NOT NULL,               -- SHA-256 of the source's bytes
  content INTEGER NOT NULL REFERENCES contents (id),
  collection_number INTEGER NOT NULL REFERENCES collections (number) ON DELETE CASCADE,
  seq INTEGER NOT NULL,             -- of the change that replaced or removed it
  replaced_at INTEGER NOT NULL,     -- milliseconds since 1970
  PRIMARY KEY (document, put)
) STRICT, WITHOUT ROWID;
CREATE INDEX replaced_texts_by_collection ON replaced_texts (collection_number, seq);
CREATE INDEX replaced_texts_by_content ON replaced_texts (content);
