//! Configuration, by precedence: flag, environment variable, `baton.yaml`, default.

mod access;
mod export;
mod find;
mod models;
mod raw;
mod resolve;
#[cfg(test)]
mod schema;
mod tempo;

pub(crate) use access::{AccessOverrides, Auth, Tls};
pub(crate) use models::ModelOverrides;
pub(crate) use raw::{
    Budgets, CardAccess, Extension, HeaderText, Issuer, MetricsAccess, Price, TempoMode, resolve_secret_path,
};
pub(crate) use resolve::{A2a, BatonSettings, ConfigOverrides, Push, Retention};
pub(crate) use tempo::Tempo;
