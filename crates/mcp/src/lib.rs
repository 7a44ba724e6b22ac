//! The tools of agents, over MCP.
