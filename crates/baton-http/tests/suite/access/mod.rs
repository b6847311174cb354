//! Who may come in, and what they see.

mod audited;
mod card_forms;
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
mod walk;
mod walk_requests;
mod watched;
mod whole;
