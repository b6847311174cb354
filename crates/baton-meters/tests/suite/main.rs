//! Tests of the public API of `baton-meters`.

#![cfg(test)]

mod meters;
