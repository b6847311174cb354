//! What is part of a session beside what its agent's definition says.

use crate::BoxFuture;
use baton_types::{ErrorCode, ItemName, TaskId};

/// What somebody named in a session, and what is left out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionItems {
    /// What is part of every request, in the order of naming.
    pub included: Vec<ItemName>,
    /// What is part of none, whatever its definition says.
    pub excluded: Vec<ItemName>,
}

/// Why a session was not looked at or changed; it is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct SessionBookError {
    /// The stable code.
    pub code: ErrorCode,
    /// What happened, and what to do.
    pub detail: String,
}

/// Where it is kept what is part of sessions; those who work on a task name it, and mean the session that it is in.
pub trait SessionBook: Send + Sync + 'static {
    /// What is part of the task's session, and what is not.
    fn items<'a>(&'a self, task: &'a TaskId) -> BoxFuture<'a, Result<SessionItems, SessionBookError>>;

    /// Makes something part of every request from now on; `false` when it was so already.
    fn include<'a>(&'a self, task: &'a TaskId, item: ItemName) -> BoxFuture<'a, Result<bool, SessionBookError>>;

    /// Leaves something out of all requests from now on; `false` when it was so already.
    fn exclude<'a>(&'a self, task: &'a TaskId, item: ItemName) -> BoxFuture<'a, Result<bool, SessionBookError>>;
}
