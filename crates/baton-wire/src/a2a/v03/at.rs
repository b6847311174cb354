//! Path of a value in a request.

use std::fmt;

/// Lazily formatted path: it is built only for a violation, which is rare, because building paths is slow.
#[derive(Clone, Copy)]
pub(super) enum At<'a> {
    Root,
    Field(&'a At<'a>, &'static str),
    Item(&'a At<'a>, usize),
}

impl At<'_> {
    pub(super) fn field(&self, name: &'static str) -> At<'_> {
        At::Field(self, name)
    }

    pub(super) fn item(&self, index: usize) -> At<'_> {
        At::Item(self, index)
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(name),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
