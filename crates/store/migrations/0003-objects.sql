-- Objects with their history: a log that is only added to. Cleaning up and mending take whole rows out.
CREATE TABLE objects (
  id INTEGER PRIMARY KEY,           -- in the order in which they were first written
  xt_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  source TEXT                       -- stable JSON
) STRICT;
CREATE INDEX objects_by_kind ON objects (kind);

-- Times are microseconds since 1970. What an answer without fields needs stands first.
CREATE TABLE object_events (
  seq INTEGER PRIMARY KEY,          -- from the store's one sequence
  object INTEGER NOT NULL REFERENCES objects (id),
  op INTEGER NOT NULL,              -- 1: put, 2: deletion, 3: delta
  aside INTEGER,                    -- null: a delta; 0: holds for ever, from no earlier than all before it; 1: any other
  valid_from INTEGER NOT NULL,
  valid_to INTEGER NOT NULL,        -- not included; the greatest number: for ever
  system_time INTEGER NOT NULL,     -- of its transaction; never less than that of an event before it
  content INTEGER REFERENCES contents (id),
  file_hash BLOB,                   -- SHA-256 of the source's bytes
  fields ANY,                       -- JSON: a text, or a blob of its size (8 bytes, little-endian) and a zstd frame
  extra ANY                         -- likewise
) STRICT;
CREATE INDEX object_events_by_object ON object_events (object);
-- The state at a time is found without walking: states that are not aside are in the order of their numbers and of their
-- valid times at once. Deltas are in neither index, so a session's thousands of them are not met.
CREATE INDEX object_states ON object_events (object, aside) WHERE aside IS NOT NULL;
CREATE INDEX object_states_by_time ON object_events (object, valid_from) WHERE aside = 0;
CREATE INDEX object_events_by_system_time ON object_events (system_time);
CREATE INDEX object_events_by_content ON object_events (content) WHERE content IS NOT NULL;

-- Requests that were done. They outlive the events they made, so that one sent again is known.
CREATE TABLE object_requests (
  request TEXT PRIMARY KEY,
  fingerprint BLOB,
  reply ANY,                        -- like fields
  system_time INTEGER NOT NULL,
  after INTEGER NOT NULL,           -- the sequence before it
  writes INTEGER NOT NULL           -- how many numbers it took
) STRICT;

-- One row: the last system time given out, so that it never goes back though the clock does.
CREATE TABLE object_clock (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  system_time INTEGER NOT NULL
) STRICT;
INSERT INTO object_clock (one, system_time) VALUES (1, 0);
