//! Items included in or excluded from a session, beyond its agent's definition.

use crate::BoxFuture;
use baton_types::{ErrorCode, ItemName, TaskId};

/// Items pinned to a session, and items excluded from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionItems {
    /// Items included in every request, in the order of inclusion.
    pub included: Vec<ItemName>,
    /// Items never included, regardless of their definition.
    pub excluded: Vec<ItemName>,
}

/// Error of a session operation; the session is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct SessionStoreError {
    /// Stable error code.
    pub code: ErrorCode,
    /// The problem and its remedy.
    pub detail: String,
}

/// Stores the items of sessions. A session is identified by one of its tasks.
pub trait SessionStore: Send + Sync + 'static {
    /// The included and excluded items of the task's session.
    fn items<'a>(&'a self, task: &'a TaskId) -> BoxFuture<'a, Result<SessionItems, SessionStoreError>>;

    /// Includes an item in every future request; `false` if it already was.
    fn include<'a>(&'a self, task: &'a TaskId, item: ItemName) -> BoxFuture<'a, Result<bool, SessionStoreError>>;

    /// Excludes an item from every future request; `false` if it already was.
    fn exclude<'a>(&'a self, task: &'a TaskId, item: ItemName) -> BoxFuture<'a, Result<bool, SessionStoreError>>;
}
