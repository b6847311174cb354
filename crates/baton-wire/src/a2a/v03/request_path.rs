//! Path of a value in a request.

use std::fmt;

/// Lazily formatted path: it is built only for a violation, which is rare, because building paths is slow.
#[derive(Clone, Copy)]
pub(super) enum RequestPath<'a> {
    Root,
    Field(&'a RequestPath<'a>, &'static str),
    Item(&'a RequestPath<'a>, usize),
}

impl RequestPath<'_> {
    pub(super) fn field(&self, name: &'static str) -> RequestPath<'_> {
        RequestPath::Field(self, name)
    }

    pub(super) fn item(&self, index: usize) -> RequestPath<'_> {
        RequestPath::Item(self, index)
    }
}

impl fmt::Display for RequestPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(name),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
