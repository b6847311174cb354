//! Configuration, by precedence: flag, environment variable, `baton.yaml`, default.

mod access;
mod export;
mod find;
mod models;
mod raw;
mod resolve;
#[cfg(test)]
mod schema;
mod server_options;
mod tempo;

pub(crate) use access::AccessOverrides;
pub(crate) use models::ModelOverrides;
pub(crate) use raw::{Budgets, Price, resolve_secret_path};
pub(crate) use resolve::{BatonSettings, ConfigOverrides};
