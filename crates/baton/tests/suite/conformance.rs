//! The conformance agent as the public kits meet it: the real binary, the card at the root, three bindings.

mod behaviours;
mod contract;
mod kit_of_03;
mod notices;
mod profiles;
mod streams;
mod strict;
mod sut;
mod talk;
