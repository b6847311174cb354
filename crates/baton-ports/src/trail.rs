//! Hop list of forwarded queries.

use crate::SpanStore;
use std::{fmt, sync::Arc};

/// Maximum length of a hop id; longer ids are invalid.
const LONGEST: usize = 64;

/// Ids of all stores that forwarded a query, first to last; prevents loops between stores that query each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    marks: Vec<String>,
    /// Whether the header was malformed, so that the route is unknown.
    unclear: bool,
}

impl Trail {
    /// Name of the header; ids are separated by commas.
    pub const HEADER: &str = "x-baton-hop";

    /// Maximum number of hops.
    pub const MOST: usize = 4;

    /// Parses the header values of a request; without any, the query was not forwarded. A malformed header counts as
    /// too many hops.
    pub fn read<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut trail = Self::default();
        for value in values {
            let Ok(text) = std::str::from_utf8(value) else {
                trail.unclear = true;
                continue;
            };
            for mark in text.split(',').map(str::trim) {
                if trail.marks.len() > Self::MOST || !is_mark(mark) {
                    trail.unclear = true;
                    break;
                }
                trail.marks.push(mark.to_owned());
            }
        }
        trail
    }

    /// Whether the query was not forwarded.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty() && !self.unclear
    }

    /// Whether the store with this id forwarded the query.
    pub fn has(&self, mark: &str) -> bool {
        self.marks.iter().any(|other| other == mark)
    }

    /// Whether the query must not be forwarded again, because the hop limit is reached.
    pub fn goes_too_far(&self) -> bool {
        self.unclear || self.marks.len() >= Self::MOST
    }

    /// A copy with one more hop at the end.
    #[must_use]
    pub fn and(&self, mark: &str) -> Self {
        let mut longer = self.clone();
        longer.marks.push(mark.to_owned());
        longer
    }
}

fn is_mark(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Formats the header value.
impl fmt::Display for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.marks.join(","))
    }
}

/// Handling of a forwarded query.
#[derive(Clone)]
pub enum Onward {
    /// The store itself, which queries no other store.
    Itself,
    /// This store instead, which extends the hop list or queries no other store.
    By(Arc<dyn SpanStore>),
    /// Rejected: the query would loop.
    Nobody,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trails() {
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
            let trail = Trail::read(values.iter().copied());
            assert_eq!((trail.to_string().as_str(), trail.goes_too_far()), (*text, *too_far), "{values:?}");
            assert_eq!(trail.is_empty(), values.is_empty(), "{values:?}");
            assert_eq!(trail.has("a"), text.starts_with('a'), "{values:?}");
        }
        let trail = (0..Trail::MOST).fold(Trail::default(), |trail, number| {
            assert!(!trail.goes_too_far());
            trail.and(&number.to_string())
        });
        assert!(trail.goes_too_far());
        assert_eq!(Trail::read([trail.to_string().as_bytes()]), trail);
    }
}
