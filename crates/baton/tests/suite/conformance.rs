//! The conformance agent as the public test kits use it: the real binary, the card at the root, three bindings.

mod behaviours;
mod contract;
mod notifications;
mod operations;
mod profiles;
mod schema;
mod streams;
mod sut;
mod v03_profile;
