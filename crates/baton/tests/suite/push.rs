//! Push notifications of the real binary: receivers that are unreachable, fail or are forbidden, and a server that is
//! killed.

mod addresses;
mod failing;
mod harness;
mod outage;
