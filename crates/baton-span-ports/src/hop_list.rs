//! Hop list of forwarded queries.

use crate::SpanStore;
use std::{fmt, sync::Arc};

/// Maximum length of a hop id; longer ids are invalid.
const MAX_HOP_ID_LEN: usize = 64;

/// Ids of all stores that forwarded a query, first to last; prevents loops between stores that query each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HopList {
    hops: Vec<String>,
    /// Whether the header was malformed, so that the route is unknown.
    is_malformed: bool,
}

impl HopList {
    /// Name of the header; ids are separated by commas.
    pub const HEADER: &str = "x-baton-hop";

    /// Maximum number of hops.
    pub const MAX_HOPS: usize = 4;

    /// Parses the header values of a request; without any, the query was not forwarded. A malformed header counts as
    /// too many hops.
    pub fn parse<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hops = Self::default();
        for value in values {
            let Ok(text) = std::str::from_utf8(value) else {
                hops.is_malformed = true;
                continue;
            };
            for mark in text.split(',').map(str::trim) {
                if hops.hops.len() > Self::MAX_HOPS || !is_hop_id(mark) {
                    hops.is_malformed = true;
                    break;
                }
                hops.hops.push(mark.to_owned());
            }
        }
        hops
    }

    /// Whether the query was not forwarded.
    pub fn is_empty(&self) -> bool {
        self.hops.is_empty() && !self.is_malformed
    }

    /// Whether the store with this id forwarded the query.
    pub fn contains(&self, hop: &str) -> bool {
        self.hops.iter().any(|known| known == hop)
    }

    /// Whether the query must not be forwarded again, because the hop limit is reached.
    pub fn is_exhausted(&self) -> bool {
        self.is_malformed || self.hops.len() >= Self::MAX_HOPS
    }

    /// A copy with one more hop at the end.
    #[must_use]
    pub fn with_hop(&self, hop: &str) -> Self {
        let mut extended = self.clone();
        extended.hops.push(hop.to_owned());
        extended
    }
}

fn is_hop_id(text: &str) -> bool {
    (1..=MAX_HOP_ID_LEN).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Formats the header value.
impl fmt::Display for HopList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hops.join(","))
    }
}

/// Handling of a forwarded query.
#[derive(Clone)]
pub enum ForwardTarget {
    /// The store itself, which queries no other store.
    Local,
    /// This store instead, which extends the hop list or queries no other store.
    Delegate(Arc<dyn SpanStore>),
    /// Rejected: the query would loop.
    Rejected,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hop_lists_are_parsed_and_bounded() {
        let long = "x".repeat(65);
        let cases: &[(&[&[u8]], &str, bool)] = &[
            (&[], "", false),
            (&[b"a"], "a", false),
            (&[b"a, b-1 ,C"], "a,b-1,C", false),
            (&[b"a", b"b,c"], "a,b,c", false),
            (&[b"a,b,c,d"], "a,b,c,d", true),
            (&[b"a,b,c,d,e,f,g,h"], "a,b,c,d,e", true),
            (&[b""], "", true),
            (&[b"a,,b"], "a", true),
            (&[b"a b"], "", true),
            (&[b"\xff", b"a"], "a", true),
            (&[long.as_bytes()], "", true),
        ];
        for (values, text, too_far) in cases {
            let hops = HopList::parse(values.iter().copied());
            assert_eq!((hops.to_string().as_str(), hops.is_exhausted()), (*text, *too_far), "{values:?}");
            assert_eq!(hops.is_empty(), values.is_empty(), "{values:?}");
            assert_eq!(hops.contains("a"), text.starts_with('a'), "{values:?}");
        }
        let hops = (0..HopList::MAX_HOPS).fold(HopList::default(), |hops, number| {
            assert!(!hops.is_exhausted());
            hops.with_hop(&number.to_string())
        });
        assert!(hops.is_exhausted());
        assert_eq!(HopList::parse([hops.to_string().as_bytes()]), hops);
    }
}
