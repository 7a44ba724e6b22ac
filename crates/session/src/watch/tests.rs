//! Hints given by hand.
