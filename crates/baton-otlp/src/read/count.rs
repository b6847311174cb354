//! How many spans a JSON request has, before any of them is made.

use super::{
    ReadError,
    object::{Object, member},
};
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, SeqAccess, Visitor},
};
use std::{fmt, marker::PhantomData};

/// The spans of all scopes of all resources.
pub(super) fn spans(body: &[u8]) -> Result<usize, ReadError> {
    let Object::<Request>(request) =
        serde_json::from_slice(body).map_err(|error| ReadError::Malformed(error.to_string()))?;
    Ok(request.resource_spans.spans)
}

/// Something that has spans in it.
trait Spans {
    fn spans(&self) -> usize;
}

/// A span itself, whatever it says.
impl Spans for IgnoredAny {
    fn spans(&self) -> usize {
        1
    }
}

#[derive(Deserialize)]
struct Request {
    #[serde(default, rename = "resourceSpans", alias = "resource_spans", deserialize_with = "member")]
    resource_spans: Sum<Object<ResourceSpans>>,
}

#[derive(Deserialize)]
struct ResourceSpans {
    #[serde(default, rename = "scopeSpans", alias = "scope_spans", deserialize_with = "member")]
    scope_spans: Sum<Object<ScopeSpans>>,
}

impl Spans for Object<ResourceSpans> {
    fn spans(&self) -> usize {
        self.0.scope_spans.spans
    }
}

#[derive(Deserialize)]
struct ScopeSpans {
    #[serde(default, deserialize_with = "member")]
    spans: Sum<IgnoredAny>,
}

impl Spans for Object<ScopeSpans> {
    fn spans(&self) -> usize {
        self.0.spans.spans
    }
}

/// A list of which only the number of spans is kept.
struct Sum<T> {
    spans: usize,
    of: PhantomData<T>,
}

impl<T> Default for Sum<T> {
    fn default() -> Self {
        Self { spans: 0, of: PhantomData }
    }
}

impl<'de, T: Deserialize<'de> + Spans> Deserialize<'de> for Sum<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self::default())
    }
}

impl<'de, T: Deserialize<'de> + Spans> Visitor<'de> for Sum<T> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Self, A::Error> {
        while let Some(item) = items.next_element::<T>()? {
            self.spans += item.spans();
        }
        Ok(self)
    }
}
