-- Of the source's bytes, before decoding and redaction. 0: put by a version that did not note it.
ALTER TABLE reference_documents ADD COLUMN source_size INTEGER NOT NULL DEFAULT 0;

-- What was last fetched of a package, so that the next sync can ask whether it has changed.
CREATE TABLE packages (
  collection TEXT PRIMARY KEY REFERENCES collections (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  hash BLOB,                        -- SHA-256 of the manifest's or bundle's bytes; null: there is neither
  manifest TEXT NOT NULL,           -- the text; empty: there is none
  etag TEXT,
  last_modified TEXT,
  revision TEXT,                    -- the commit of a git source
  private INTEGER NOT NULL,         -- whether it came from an address that is not public
  complete INTEGER NOT NULL         -- whether every file of it was taken in
) STRICT, WITHOUT ROWID;

-- Validators of single files that have no hash in their manifest.
CREATE TABLE package_files (
  collection TEXT NOT NULL REFERENCES packages (collection) ON DELETE CASCADE,
  path TEXT NOT NULL,
  etag TEXT,
  last_modified TEXT,
  PRIMARY KEY (collection, path)
) STRICT, WITHOUT ROWID;
