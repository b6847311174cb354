//! The real binary, driven as a person would.
