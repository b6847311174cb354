//! The Agent2Agent protocol, one module per version.

pub mod v03;
pub mod v1;
