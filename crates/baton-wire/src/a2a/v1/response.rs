//! What unary operations answer with.

use super::{Message, Task};
use crate::de;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The answer to a send; exactly one member is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SendMessageResponse<'a> {
    /// The task that the message began or continued.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub task: Option<Task<'a>>,
    /// A direct answer without a task.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub message: Option<Message<'a>>,
}

/// One page of tasks; all four members are always written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListTasksResponse<'a> {
    /// The tasks, newest status first.
    #[serde(deserialize_with = "de::objects")]
    pub tasks: Vec<Task<'a>>,
    /// Where the next page starts; empty on the last.
    #[serde(alias = "next_page_token", deserialize_with = "de::or_default")]
    pub next_page_token: Cow<'a, str>,
    /// Most tasks per page.
    #[serde(alias = "page_size", deserialize_with = "de::or_default")]
    pub page_size: u32,
    /// How many tasks match without paging.
    #[serde(alias = "total_size", deserialize_with = "de::or_default")]
    pub total_size: u64,
}
