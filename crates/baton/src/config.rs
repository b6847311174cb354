//! One configuration: flag over environment over `baton.yaml` over default.

mod access;
mod find;
mod raw;
mod resolve;
#[cfg(test)]
mod schema;

pub(crate) use access::{Auth, ChosenAccess, Tls};
pub(crate) use raw::{Cards, Extension, Issuer, Metrics, secret_below};
pub(crate) use resolve::{A2a, Chosen, Push, Retention, Settings};
