//! The Agent2Agent protocol, one module per version.

pub mod v1;
