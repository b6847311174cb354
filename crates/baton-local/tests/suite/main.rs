//! Agents from real directories, tools as real programs.

#[cfg(test)]
mod agents;
#[cfg(test)]
mod audit;
#[cfg(test)]
mod book;
#[cfg(test)]
#[cfg(unix)]
mod calling;
#[cfg(test)]
#[cfg(unix)]
mod commands;
#[cfg(test)]
#[cfg(unix)]
mod data_directory;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod detached;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod kits;
#[cfg(test)]
mod many;
#[cfg(test)]
mod mcp_sessions;
#[cfg(test)]
mod names;
#[cfg(test)]
mod permissions;
#[cfg(test)]
mod storage;
#[cfg(test)]
mod two_processes;
#[cfg(test)]
mod vectors;
#[cfg(test)]
mod watching;
#[cfg(test)]
mod world;
