//! The checker must be able to fail.

#[cfg(test)]
mod checker;
#[cfg(test)]
mod sample;
