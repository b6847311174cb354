//! Who may come in, and what they see.

mod house;
mod metrics;
mod open;
mod rates;
mod refusals;
mod scopes;
mod secrets;
mod sessions;
mod shares;
mod spans;
mod stranger;
mod streams;
mod tokens;
mod tool_permissions;
mod watched;
mod whole;
