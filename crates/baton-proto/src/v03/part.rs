//! Parts: text, files, and objects.

use super::pb::{self, file_part::File, part};
use crate::{
    fault::{ConversionError, ConversionResult, FieldContext, WireConvert, convert},
    json,
    scalar::{as_base64, decode_base64, encode_base64, object, read_object, some, text},
};
use baton_wire::a2a::v1 as wire;
use prost_types::{Struct, Value, value::Kind};
use std::borrow::Cow;

/// Marker in a data part's metadata: the data is the `value` of the sent object. Python's SDK uses the same marker.
const MARKER: &str = "data_part_compat";
const VALUE_MEMBER: &str = "value";

convert! { in_answer:
    pb::Part, wire::Part<'static>, wire::Part<'_>;
}

impl WireConvert<wire::Part<'static>> for pb::Part {
    fn convert(self) -> ConversionResult<wire::Part<'static>> {
        let mut metadata = self.metadata;
        let mut carried = wire::Part::default();
        match self.part {
            Some(part::Part::Text(text)) => carried.text = Some(Cow::Owned(text)),
            Some(part::Part::File(file)) => {
                carried.filename = some(file.name);
                carried.media_type = some(file.mime_type);
                match file.file {
                    Some(File::FileWithUri(uri)) => carried.url = Some(Cow::Owned(uri)),
                    Some(File::FileWithBytes(bytes)) => {
                        let text = as_base64(&bytes).map_or_else(|| encode_base64(&bytes), str::to_owned);
                        carried.raw = Some(Cow::Owned(text));
                    }
                    None => return Err(ConversionError::new("exactly one of fileWithUri, fileWithBytes")).at("file"),
                }
            }
            Some(part::Part::Data(data)) => {
                let data = unwrap(data.data.unwrap_or_default(), &mut metadata);
                carried.data = Some(json::json_from_value(&data).at("data")?);
            }
            // A part without content is rejected with its path when the message is checked.
            None => {}
        }
        carried.metadata = read_object(metadata, "metadata")?;
        Ok(carried)
    }
}

impl WireConvert<pb::Part> for wire::Part<'_> {
    fn convert(self) -> ConversionResult<pb::Part> {
        let mut metadata = object(self.metadata.as_ref(), "metadata")?;
        let data = self.data.filter(|data| {
            let others = self.text.is_some() || self.raw.is_some() || self.url.is_some();
            // Some clients serialize every field and send `data: null` in addition to the content.
            !others || data.as_str() != "null"
        });
        let (mime_type, name) = (text(self.media_type), text(self.filename));
        let file = |file| part::Part::File(pb::FilePart { file: Some(file), mime_type, name });
        let part = match (self.text, self.raw, self.url, data) {
            (Some(text), None, None, None) => part::Part::Text(text.into_owned()),
            (None, Some(raw), None, None) => {
                let text = encode_base64(&decode_base64(&raw).at("raw")?);
                file(File::FileWithBytes(text.into()))
            }
            (None, None, Some(url), None) => file(File::FileWithUri(url.into_owned())),
            (None, None, None, Some(data)) => {
                let data = wrap(json::value_from_json(&data).at("data")?, &mut metadata);
                part::Part::Data(pb::DataPart { data: Some(data) })
            }
            _ => return Err(ConversionError::new("exactly one of text, raw, url, data")),
        };
        Ok(pb::Part { part: Some(part), metadata })
    }
}

/// The data as an object; other values are wrapped and marked.
fn wrap(data: Value, metadata: &mut Option<Struct>) -> Struct {
    match data.kind {
        Some(Kind::StructValue(fields)) => fields,
        _ => {
            let mark = Value { kind: Some(Kind::BoolValue(true)) };
            metadata.get_or_insert_default().fields.insert(MARKER.to_owned(), mark);
            Struct { fields: [(VALUE_MEMBER.to_owned(), data)].into() }
        }
    }
}

/// Reverses `wrap`; other data stays unchanged.
fn unwrap(mut data: Struct, metadata: &mut Option<Struct>) -> Value {
    let marked = metadata.as_ref().and_then(|metadata| metadata.fields.get(MARKER));
    if marked.is_some_and(|mark| mark.kind == Some(Kind::BoolValue(true)))
        && data.fields.len() == 1
        && let Some(value) = data.fields.remove(VALUE_MEMBER)
    {
        if let Some(metadata) = metadata {
            metadata.fields.remove(MARKER);
        }
        *metadata = metadata.take().filter(|metadata| !metadata.fields.is_empty());
        return value;
    }
    Value { kind: Some(Kind::StructValue(data)) }
}
