//! What an agent has seen, and what it holds now.
//!
//! This room must not know MCP, the terminal or the environment.

pub mod resolver;
pub mod surroundings;
pub mod transcript;
