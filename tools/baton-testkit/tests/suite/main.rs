//! The checker detects violations.

#[cfg(test)]
mod checker;
#[cfg(test)]
mod sample;
