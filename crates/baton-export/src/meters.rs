//! Metrics export at an interval. Values are cumulative since the start, so a lost export needs no retry.

mod pieces;
mod send;

pub(crate) use send::MeterCourier;
