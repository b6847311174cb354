//! Agents of a server: local and remote ones.

mod load;
mod local;
mod served;

pub use load::{AgentSummary, list_agents, list_local_agents};
pub(crate) use load::{LoadedAgents, load, load_failure, load_required, open};
pub(crate) use local::LocalAgents;
pub(crate) use served::AllAgents;
