//! Context of a model call besides the conversation: rules, references and tools, selected once per message.

mod autonomous_runs;
mod fixture;
mod prompt;
mod selection;
mod tools;
mod vectors;
