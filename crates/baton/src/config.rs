//! One configuration: flag over environment over `baton.yaml` over default.

mod raw;
mod resolve;

pub(crate) use resolve::{Chosen, Retention, Settings};
