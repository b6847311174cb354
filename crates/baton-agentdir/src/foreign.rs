//! TeamSpark's agents, in all the forms that its versions wrote.
//!
//! They were made by other programs and have worked there, so little keeps one from being served: a file that cannot be
//! read at all, or a name that is missing. Everything else that is odd is left out with a remark.

mod agent;
mod exports;
mod metadata;
mod segment;
mod settings;
mod value;

pub(crate) use agent::{parse, tree};
pub(crate) use exports::as_theirs;
pub(crate) use metadata::chat_skill;

pub use segment::segment;
pub(crate) use value::text;
