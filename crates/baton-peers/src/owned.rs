//! Conversion of borrowed wire values to owned ones.

use baton_wire::a2a::v1::Part;
use std::borrow::Cow;

/// A part that owns its data.
pub(crate) fn part(part: Part<'_>) -> Part<'static> {
    let owned = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
    Part {
        text: owned(part.text),
        raw: owned(part.raw),
        url: owned(part.url),
        data: part.data,
        metadata: part.metadata,
        filename: owned(part.filename),
        media_type: owned(part.media_type),
    }
}
