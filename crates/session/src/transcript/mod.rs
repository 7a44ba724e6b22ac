//! Transcripts of other programs, read into events.
