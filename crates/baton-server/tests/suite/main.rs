//! Servers opened from options.
#![cfg(test)]

