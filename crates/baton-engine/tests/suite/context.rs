//! What the model is given beside the conversation: rules, references and tools, chosen once for each message.

mod alone;
mod choosing;
mod prompt;
mod stage;
mod tools;
mod vectors;
