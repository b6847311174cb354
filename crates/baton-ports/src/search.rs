//! Finding what of an agent has to do with a question.

use crate::BoxFuture;
use baton_types::{AgentName, RelevanceLimits, Thousandths};

/// A text that can be found, under a name and a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchText<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What it is about; may be empty.
    pub description: &'a str,
    /// The text; of a tool there is none.
    pub text: &'a str,
}

/// Finds texts in the way in which those are found that come with a request: by vectors where somebody makes them, else
/// by words.
pub trait TextSearch: Send + Sync + 'static {
    /// The places of those texts that have to do with the question, with their scores, the most relevant first; the error
    /// says why nothing could be looked for, in words.
    fn search<'a>(
        &'a self,
        agent: &'a AgentName,
        question: &'a str,
        texts: &'a [SearchText<'a>],
        limits: RelevanceLimits,
    ) -> BoxFuture<'a, Result<Vec<(usize, Thousandths)>, String>>;
}
