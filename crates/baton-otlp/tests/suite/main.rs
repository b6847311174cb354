//! What this crate promises, seen from outside.
