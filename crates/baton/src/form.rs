//! Forms: the fields of a JSON Schema, shown in a terminal and parsed from typed input.

mod fields;
mod prompt;
mod question;
mod read;
mod show;

pub(crate) use fields::InputForm;
pub(crate) use prompt::{PromptResult, is_interactive, read_line};
pub(crate) use question::{AnswerKind, ApprovalDetails, InputQuestion, InputReply, escape_invisible};
pub(crate) use read::FormValueError;
