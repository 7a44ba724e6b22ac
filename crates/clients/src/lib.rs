//! The settings files of MCP clients.
