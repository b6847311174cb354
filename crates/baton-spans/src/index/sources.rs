//! Index locations of a field.

use super::{ValueLocation, field_locations};
use baton_traceql::{Aliases, Field, Intrinsic};
use std::borrow::Cow;

/// Index locations of a field, in order of precedence: the first one that has a value counts.
pub(crate) struct FieldSources<'a> {
    /// Locations and keys, in order of precedence.
    pub(crate) locations: Vec<(ValueLocation, Cow<'a, str>)>,
    /// Value of spans that have none in any location.
    pub(crate) default_text: Option<&'static str>,
}

impl<'a> FieldSources<'a> {
    /// The locations of a field; `None` if it is not indexed or depends on more than one span.
    pub(crate) fn from_field(field: &'a Field, aliases: Aliases) -> Option<Self> {
        let (locations, key) = match field {
            // These are indexed for roots only.
            Field::Intrinsic(Intrinsic::RootName | Intrinsic::RootService) => return None,
            field => field_locations(field),
        };
        if locations.is_empty() {
            return None;
        }
        let mut all: Vec<(ValueLocation, Cow<'a, str>)> =
            locations.iter().map(|location| (*location, Cow::Borrowed(key))).collect();
        if let Field::Attribute(attribute) = field {
            for name in aliases.synonyms(&attribute.name) {
                all.extend(locations.iter().map(|location| (*location, Cow::Borrowed(name))));
            }
        }
        // Empty messages are not indexed.
        let otherwise = matches!(field, Field::Intrinsic(Intrinsic::StatusMessage)).then_some("");
        Some(Self { locations: all, default_text: otherwise })
    }

    /// Whether they are attributes, which spans may have under unindexed keys.
    pub(crate) fn may_be_unindexed(&self) -> bool {
        self.locations.iter().any(|(location, _)| location.scope().is_some())
    }
}
