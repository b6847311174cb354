//! Changes to files that people wrote: one word goes in, and every other byte stays.
//!
//! A change is first a list of [`step::Step`]s on the values of a file. They are carried out twice: on the values, where
//! that is easy, and on the text, where comments and layout stay. Only when the changed text reads as the changed values,
//! and the agent that it makes differs in nothing else, is it given out; otherwise a person is told what to write.

mod amend;
mod carry;
mod change;
mod error;
mod export;
mod include;
mod item;
mod json;
mod metadata;
mod outcome;
mod prompt;
mod provider;
mod server;
mod settings;
mod step;
mod text;
mod words;
mod yaml;

pub use amend::{Amended, amend};
pub use change::{Edited, edit};
pub use error::EditError;
