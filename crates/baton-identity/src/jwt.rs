//! JSON Web Tokens: their form, their signatures, their claims. No network in here.

mod algorithm;
mod claims;
mod compact;
mod key;
mod key_set;

pub use algorithm::Algorithm;

pub(crate) use claims::Claims;
pub(crate) use compact::{Compact, MAX_TOKEN};
pub(crate) use key_set::KeySet;
