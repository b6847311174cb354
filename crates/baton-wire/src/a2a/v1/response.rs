//! Responses of unary operations.

use super::{Message, Task};
use crate::de;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Response to a send; exactly one member is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SendMessageResponse<'a> {
    /// The task that the message started or continued.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub task: Option<Task<'a>>,
    /// A direct answer without a task.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub message: Option<Message<'a>>,
}

/// One page of tasks; all four members are always serialized.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListTasksResponse<'a> {
    /// The tasks, most recent status first.
    #[serde(deserialize_with = "de::objects")]
    pub tasks: Vec<Task<'a>>,
    /// Token of the next page; empty on the last page.
    #[serde(alias = "next_page_token", deserialize_with = "de::or_default")]
    pub next_page_token: Cow<'a, str>,
    /// Maximum number of tasks per page.
    #[serde(alias = "page_size", deserialize_with = "de::or_default")]
    pub page_size: u32,
    /// Total number of matching tasks, ignoring paging.
    #[serde(alias = "total_size", deserialize_with = "de::or_default")]
    pub total_size: u64,
}
