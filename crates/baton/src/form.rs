//! Forms: the fields of a JSON Schema, shown in a terminal and parsed from typed input.

mod ask;
mod fields;
mod question;
mod read;
mod show;

pub(crate) use ask::{PromptResult, is_interactive, read_line};
pub(crate) use fields::InputForm;
pub(crate) use question::{AnswerKind, ApprovalDetails, InputQuestion, InputReply, escape_invisible};
pub(crate) use read::FormValueError;
