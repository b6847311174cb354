//! Text encodings that several protocols share: canonical JSON, the nesting depth of JSON, lenient Base64,
//! server-sent events and path segments.
//!
//! This crate must never know a protocol or a domain type, and never allocate more than its input requires: its callers
//! pass untrusted bytes.
//!
//! Read first: [`canonical_json`] (the text that signatures are computed over), [`depth_within`] (runs before every JSON
//! parser), [`sse::SseParser`] (reads event streams in chunks).

pub mod base64;
mod canonical;
mod depth;
mod path;
pub mod sse;

pub use canonical::{CanonicalJsonError, CanonicalValue, MAX_CANONICAL_DEPTH, canonical_json};
pub use depth::depth_within;
pub use path::path_segment;
