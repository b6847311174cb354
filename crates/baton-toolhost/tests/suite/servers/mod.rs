//! MCP servers of an agent, against scripts that say exactly what a server says.

mod asking;
mod calling;
mod eras;
mod listening;
mod offering;
mod programs;
mod running;
mod script;
mod spans;
mod world;
