//! Forms: the fields of a JSON Schema, shown in a terminal and parsed from typed input.

mod ask;
mod fields;
mod question;
mod read;
mod show;

pub(crate) use ask::{Asked, line, someone_is_there};
pub(crate) use fields::Form;
pub(crate) use question::{Leave, Question, Reply, Wants, visible};
pub(crate) use read::Unfit;
