//! A2A operations, shared by every binding and dialect: each takes a 1.0 request and returns the data of the reply.

mod cancel;
mod extended_card;
mod follow;
mod get;
mod list;
mod push;
mod send;
mod shown_task;
mod stream;
mod subscribe;

pub(super) use cancel::cancel;
pub(super) use extended_card::{extended_card, unsigned_extended_card};
pub(super) use follow::{TaskStream, TaskStreamItem};
pub(super) use get::get;
pub(super) use list::list;
pub(super) use push::{create_push, delete_push, get_push, list_push};
pub(super) use send::send;
pub(super) use shown_task::{ShownTask, ShownTasks};
pub(super) use stream::stream;
pub(super) use subscribe::subscribe;
