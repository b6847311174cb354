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

pub(crate) use access::{Auth, ChosenAccess, Tls};
pub(crate) use models::ChosenModels;
pub(crate) use raw::{Budgets, Cards, Extension, HeaderText, Issuer, Metrics, Price, TempoMode, secret_below};
pub(crate) use resolve::{A2a, Chosen, Push, Retention, Settings};
pub(crate) use tempo::Tempo;
