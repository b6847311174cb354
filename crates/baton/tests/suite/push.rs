//! Push notifications of the real binary: receivers that are away, fail or may not be called, and a server that dies.

mod addresses;
mod failing;
mod outage;
mod talk;
