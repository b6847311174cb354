//! JSON Web Tokens: format, signatures and claims. This module performs no network access.

mod algorithm;
mod claims;
mod compact;
mod key;
mod key_set;

pub use algorithm::Algorithm;

pub(crate) use claims::Claims;
pub(crate) use compact::{CompactJwt, MAX_TOKEN};
pub(crate) use key_set::KeySet;
