//! Counts the items of a JSON request without decoding them.

use super::{
    ReadError,
    object::{Object, member},
};
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, SeqAccess, Visitor},
};
use std::{fmt, marker::PhantomData};

/// Number of spans in all scopes of all resources.
pub(super) fn count_spans(body: &[u8]) -> Result<usize, ReadError> {
    let Object::<SpanCountRequest>(request) =
        serde_json::from_slice(body).map_err(|error| ReadError::Malformed(error.to_string()))?;
    Ok(request.resource_spans.items)
}

/// A value that contains items: spans, data points or log records.
pub(super) trait Countable {
    fn items(&self) -> usize;
}

/// A single item.
impl Countable for IgnoredAny {
    fn items(&self) -> usize {
        1
    }
}

#[derive(Deserialize)]
struct SpanCountRequest {
    #[serde(default, rename = "resourceSpans", alias = "resource_spans", deserialize_with = "member")]
    resource_spans: ItemCount<Object<SpanCountResource>>,
}

#[derive(Deserialize)]
struct SpanCountResource {
    #[serde(default, rename = "scopeSpans", alias = "scope_spans", deserialize_with = "member")]
    scope_spans: ItemCount<Object<SpanCountScope>>,
}

impl Countable for Object<SpanCountResource> {
    fn items(&self) -> usize {
        self.0.scope_spans.items
    }
}

#[derive(Deserialize)]
struct SpanCountScope {
    #[serde(default, deserialize_with = "member")]
    spans: ItemCount<IgnoredAny>,
}

impl Countable for Object<SpanCountScope> {
    fn items(&self) -> usize {
        self.0.spans.items
    }
}

/// A list reduced to its number of items.
pub(super) struct ItemCount<T> {
    pub(super) items: usize,
    of: PhantomData<T>,
}

impl<T> Default for ItemCount<T> {
    fn default() -> Self {
        Self { items: 0, of: PhantomData }
    }
}

impl<'de, T: Deserialize<'de> + Countable> Deserialize<'de> for ItemCount<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self::default())
    }
}

impl<'de, T: Deserialize<'de> + Countable> Visitor<'de> for ItemCount<T> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self, A::Error> {
        while let Some(item) = list.next_element::<T>()? {
            self.items += item.items();
        }
        Ok(self)
    }
}
