//! Relevance search over an agent's texts.

use crate::BoxFuture;
use baton_types::{AgentName, RelevanceLimits, Thousandths};

/// A searchable text with a name and a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchText<'a> {
    /// Name of the text.
    pub name: &'a str,
    /// Description; may be empty.
    pub description: &'a str,
    /// The text; empty for a tool.
    pub text: &'a str,
}

/// Ranks texts with the search that also selects context for requests: by embeddings if available, otherwise lexically.
pub trait TextSearch: Send + Sync + 'static {
    /// Indexes and scores of the texts relevant to the question, most relevant first. The error is a readable reason.
    fn search<'a>(
        &'a self,
        agent: &'a AgentName,
        question: &'a str,
        texts: &'a [SearchText<'a>],
        limits: RelevanceLimits,
    ) -> BoxFuture<'a, Result<Vec<(usize, Thousandths)>, String>>;
}
