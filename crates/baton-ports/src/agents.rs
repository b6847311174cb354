//! Where agent definitions come from.

use baton_types::{AgentName, AgentSpec};
use std::sync::Arc;

/// The agents that are served now.
pub trait AgentSource: Send + Sync + 'static {
    /// All of them, in a stable order.
    fn agents(&self) -> Vec<Arc<AgentSpec>>;

    /// One by name.
    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>>;
}
