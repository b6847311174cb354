//! One configuration: flag over environment over `baton.yaml` over default.

mod find;
mod raw;
mod resolve;
#[cfg(test)]
mod schema;

pub(crate) use raw::Extension;
pub(crate) use resolve::{A2a, Chosen, Push, Retention, Settings};
