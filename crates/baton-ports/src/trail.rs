//! Who has passed a question on.

use crate::SpanStore;
use std::{fmt, sync::Arc};

/// Longest mark; one that is longer was not made here.
const LONGEST: usize = 64;

/// The marks of all who passed a question on, first to last: stores that ask each other would never end without it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    marks: Vec<String>,
    /// Whether it could not be read: whoever wrote it, nobody knows where it was.
    unclear: bool,
}

impl Trail {
    /// The header that it travels in, marks separated by commas.
    pub const HEADER: &str = "x-baton-hop";

    /// So many may pass a question on.
    pub const MOST: usize = 4;

    /// Reads what the headers of a request say; without any, nobody passed it on. What cannot be read counts as a way
    /// that was too long.
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

    /// Whether nobody passed it on.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty() && !self.unclear
    }

    /// Whether this one passed it on.
    pub fn has(&self, mark: &str) -> bool {
        self.marks.iter().any(|other| other == mark)
    }

    /// Whether so many passed it on that nobody else should.
    pub fn goes_too_far(&self) -> bool {
        self.unclear || self.marks.len() >= Self::MOST
    }

    /// The same with one more at its end.
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

/// As it travels.
impl fmt::Display for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.marks.join(","))
    }
}

/// Who answers a question that others have passed on.
#[derive(Clone)]
pub enum Onward {
    /// The store itself: it asks nobody.
    Itself,
    /// This one in its place, which says further who has asked, or asks nobody.
    By(Arc<dyn SpanStore>),
    /// Nobody: the question would come back, or go on for ever.
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
