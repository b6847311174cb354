//! The example as its readers run it: the program, talked to by A2A and MCP clients.

mod a2a;
mod mcp;
mod page;
mod program;
