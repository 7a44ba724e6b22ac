//! Input that nobody planned for: odd names, odd bytes, odd trees, and data folders that were tampered with.

mod data_folder;
mod names;
mod secrets;
mod texts;
mod trees;
