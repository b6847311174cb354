//! Agents in real directories.

#[cfg(test)]
mod agent_resources;
#[cfg(test)]
mod agents;
#[cfg(test)]
mod audit;
#[cfg(test)]
#[cfg(unix)]
mod data_directory;
#[cfg(test)]
mod formats;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod many_agents;
#[cfg(test)]
mod mcp_sessions;
#[cfg(test)]
mod names;
#[cfg(test)]
mod repository;
#[cfg(test)]
mod storage;
#[cfg(test)]
mod vectors;
#[cfg(test)]
mod watching;
