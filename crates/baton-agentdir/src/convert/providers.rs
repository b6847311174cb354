//! Writes the key `providers`, which is identical in every format.

use super::tree::{OrderedMap, OrderedValue};
use baton_types::{PROVIDER_HEADER_PREFIX, ProviderEntry};

/// The map, in the order of the source.
pub(super) fn write(providers: &[ProviderEntry]) -> OrderedMap {
    OrderedMap(providers.iter().map(|entry| (entry.id.clone(), OrderedValue::from(one(entry)))).collect())
}

/// The keys of one provider.
pub(super) fn one(entry: &ProviderEntry) -> OrderedMap {
    let mut own = OrderedMap::default();
    let mut headers = OrderedMap::default();
    for (key, value) in &entry.keys {
        match (key.strip_prefix(PROVIDER_HEADER_PREFIX), value.parse::<u32>()) {
            (Some(header), _) => headers.set(header, value.as_str()),
            (None, Ok(count)) if matches!(key.as_str(), "concurrency" | "rpm") => own.set(key, count),
            _ => own.set(key, value.as_str()),
        }
    }
    own.set_nonempty("headers", headers);
    own
}
