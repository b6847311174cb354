//! What the meters show, read and sent again and again: every reading has all that was counted since the start, so one
//! that did not arrive is not missed.

mod pieces;
mod send;

pub(crate) use send::MeterCourier;
