//! One file per subcommand; `connection_options.rs` has the connection options that several subcommands share.

pub(crate) mod agents;
pub(crate) mod approvals;
pub(crate) mod connection_options;
pub(crate) mod convert;
pub(crate) mod costs;
pub(crate) mod dashboards;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod mcp;
pub(crate) mod models;
pub(crate) mod new;
pub(crate) mod openapi;
pub(crate) mod reap;
pub(crate) mod run;
pub(crate) mod sessions;
pub(crate) mod token;
pub(crate) mod tools;
pub(crate) mod trace;
pub(crate) mod up;
