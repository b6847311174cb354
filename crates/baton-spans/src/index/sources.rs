//! Where the value of a field is looked for.

use super::{Place, field_places};
use baton_traceql::{Aliases, Field, Intrinsic};
use std::borrow::Cow;

/// Where the value of a field is looked for: the first place that has something decides.
pub(crate) struct Sources<'a> {
    /// Places and keys, in their order.
    pub(crate) places: Vec<(Place, Cow<'a, str>)>,
    /// What spans say that are in none of them.
    pub(crate) otherwise: Option<&'static str>,
}

impl<'a> Sources<'a> {
    /// Those of a field; none when the span alone does not say it or it is not indexed.
    pub(crate) fn of(field: &'a Field, aliases: Aliases) -> Option<Self> {
        let (places, key) = match field {
            // These are listed for roots only.
            Field::Intrinsic(Intrinsic::RootName | Intrinsic::RootService) => return None,
            field => field_places(field),
        };
        if places.is_empty() {
            return None;
        }
        let mut all: Vec<(Place, Cow<'a, str>)> = places.iter().map(|place| (*place, Cow::Borrowed(key))).collect();
        if let Field::Attribute(attribute) = field {
            for name in aliases.of(&attribute.name) {
                all.extend(places.iter().map(|place| (*place, Cow::Borrowed(name))));
            }
        }
        // Only messages that say something are indexed.
        let otherwise = matches!(field, Field::Intrinsic(Intrinsic::StatusMessage)).then_some("");
        Some(Self { places: all, otherwise })
    }

    /// Whether they are attributes, which spans may have under keys that are not indexed.
    pub(crate) fn may_be_unlisted(&self) -> bool {
        self.places.iter().any(|(place, _)| place.scope().is_some())
    }
}
