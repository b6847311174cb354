//! One configuration: flag over environment over `baton.yaml` over default.

mod raw;
mod resolve;
#[cfg(test)]
mod schema;

pub(crate) use resolve::{Chosen, Retention, Settings};
