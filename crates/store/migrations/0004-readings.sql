-- Which configurations read which collection, so that one project's sync does not change what another reads, and nothing is
-- dropped that somebody else needs.
CREATE TABLE readings (
  config TEXT NOT NULL,             -- absolute path of the configuration
  name TEXT NOT NULL,               -- of the collection or category in it
  collection TEXT NOT NULL,         -- which may not be there yet
  stamp TEXT,                       -- what the lock file was when this was found; null: there was none to go by
  PRIMARY KEY (config, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX readings_by_collection ON readings (collection);
