//! Authentication, authorization, isolation of principals, and the audit log.

mod audit_log;
mod card_forms;
mod denials;
mod isolation;
mod metrics;
mod open;
mod rates;
mod refusals;
mod response_text;
mod scopes;
mod secrets;
mod server;
mod sessions;
mod shares;
mod spans;
mod streams;
mod tokens;
mod tool_permissions;
mod walk;
mod walk_fixtures;
mod walk_requests;
