//! JSON Web Tokens: format, signatures and claims. This module performs no network access.
//!
//! The crate `jsonwebtoken` has no backend on `ring`: its own add 31 crates (RustCrypto) or a second C library (AWS-LC).
//! With a backend of ours, which is installed for the whole process, the mapping of keys and algorithms would stay here.
//! So would the checks of time, `typ` and `crit`: the crate reads the system clock instead of the `Clock` port, and does
//! not check the other two.

mod algorithm;
mod claims;
mod compact;
mod key;
mod key_set;

pub use algorithm::Algorithm;

pub(crate) use claims::Claims;
pub(crate) use compact::{CompactJwt, MAX_TOKEN};
pub(crate) use key_set::KeySet;
