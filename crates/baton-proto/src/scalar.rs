//! Strings, timestamps, bytes and enumerations in both forms.

use crate::{
    fault::{ConversionError, ConversionResult, FieldContext},
    json,
    v1::pb,
};
use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use baton_types::{Json, Timestamp};
use baton_wire::a2a::v1 as wire;
use prost_types::Struct;
use std::borrow::Cow;

/// Range of protobuf timestamps: years 1 to 9999.
const TIMESTAMP_SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

const LENIENT_CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// An optional string, which protobuf encodes as empty if absent.
pub(crate) fn some(text: String) -> Option<Cow<'static, str>> {
    (!text.is_empty()).then_some(Cow::Owned(text))
}

/// The string, or an empty one if absent.
pub(crate) fn text(text: Option<Cow<'_, str>>) -> String {
    text.map(Cow::into_owned).unwrap_or_default()
}

/// An optional owned string, which protobuf encodes as empty if absent.
pub(crate) fn filled(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Strings for the wire types.
pub(crate) fn cows(texts: Vec<String>) -> Vec<Cow<'static, str>> {
    texts.into_iter().map(Cow::Owned).collect()
}

/// Strings for protobuf.
pub(crate) fn texts(texts: Vec<Cow<'_, str>>) -> Vec<String> {
    texts.into_iter().map(Cow::into_owned).collect()
}

/// Converts an object such as metadata to protobuf.
pub(crate) fn object(json: Option<&Json>, name: &str) -> ConversionResult<Option<Struct>> {
    json.map(json::struct_from_json).transpose().at(name)
}

/// Converts an object such as metadata from protobuf.
pub(crate) fn read_object(fields: Option<Struct>, name: &str) -> ConversionResult<Option<Json>> {
    fields.map(json::json_from_struct).transpose().at(name)
}

/// Converts a timestamp to protobuf.
pub(crate) fn timestamp(at: Option<Timestamp>, name: &str) -> ConversionResult<Option<prost_types::Timestamp>> {
    let carried = at.map(|at| {
        let seconds = at.as_millis().div_euclid(1000);
        let nanos = i32::try_from(at.as_millis().rem_euclid(1000)).unwrap_or_default() * 1_000_000;
        let known = TIMESTAMP_SECONDS.contains(&seconds).then_some(prost_types::Timestamp { seconds, nanos });
        known.ok_or_else(|| ConversionError::new("must be in the years 1 to 9999"))
    });
    carried.transpose().at(name)
}

/// Converts a timestamp from protobuf, truncated to milliseconds.
pub(crate) fn read_timestamp(at: Option<prost_types::Timestamp>, name: &str) -> ConversionResult<Option<Timestamp>> {
    let carried = at.map(|at| {
        let known = TIMESTAMP_SECONDS.contains(&at.seconds) && (0..1_000_000_000).contains(&at.nanos);
        let millis = known.then(|| at.seconds * 1000 + i64::from(at.nanos / 1_000_000));
        millis
            .map(Timestamp::from_millis)
            .ok_or_else(|| ConversionError::new("must be a timestamp in the years 1 to 9999"))
    });
    carried.transpose().at(name)
}

/// Decodes base64 text in either alphabet, with or without padding.
pub(crate) fn decode_base64(text: &str) -> ConversionResult<Vec<u8>> {
    let alphabet = if text.contains(['-', '_']) { &alphabet::URL_SAFE } else { &alphabet::STANDARD };
    GeneralPurpose::new(alphabet, LENIENT_CONFIG).decode(text).map_err(|_| ConversionError::new("must be base64"))
}

/// Encodes bytes as base64 text.
pub(crate) fn encode_base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// The bytes as text, if they are base64 text.
pub(crate) fn as_base64(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    base64::engine::general_purpose::STANDARD.decode(text).ok().map(|_| text)
}

/// The state with this number; both versions use the same numbers.
pub(crate) fn state_from_number(number: i32) -> ConversionResult<wire::TaskState> {
    use pb::TaskState as State;
    let state = State::try_from(number).map_err(|_| ConversionError::new(format!("unknown task state {number}")))?;
    Ok(match state {
        State::Unspecified => wire::TaskState::Unspecified,
        State::Submitted => wire::TaskState::Submitted,
        State::Working => wire::TaskState::Working,
        State::Completed => wire::TaskState::Completed,
        State::Failed => wire::TaskState::Failed,
        State::Canceled => wire::TaskState::Canceled,
        State::InputRequired => wire::TaskState::InputRequired,
        State::Rejected => wire::TaskState::Rejected,
        State::AuthRequired => wire::TaskState::AuthRequired,
    })
}

/// The number of a state.
pub(crate) fn state_number(state: wire::TaskState) -> i32 {
    use pb::TaskState as State;
    let state = match state {
        wire::TaskState::Unspecified => State::Unspecified,
        wire::TaskState::Submitted => State::Submitted,
        wire::TaskState::Working => State::Working,
        wire::TaskState::Completed => State::Completed,
        wire::TaskState::Failed => State::Failed,
        wire::TaskState::Canceled => State::Canceled,
        wire::TaskState::InputRequired => State::InputRequired,
        wire::TaskState::Rejected => State::Rejected,
        wire::TaskState::AuthRequired => State::AuthRequired,
    };
    state.into()
}

/// The role with this number; both versions use the same numbers.
pub(crate) fn role_from_number(number: i32) -> ConversionResult<wire::Role> {
    match pb::Role::try_from(number) {
        Ok(pb::Role::Unspecified) => Ok(wire::Role::Unspecified),
        Ok(pb::Role::User) => Ok(wire::Role::User),
        Ok(pb::Role::Agent) => Ok(wire::Role::Agent),
        Err(_) => Err(ConversionError::new(format!("unknown role {number}"))),
    }
}

/// The number of a role.
pub(crate) fn role_number(role: wire::Role) -> i32 {
    let role = match role {
        wire::Role::Unspecified => pb::Role::Unspecified,
        wire::Role::User => pb::Role::User,
        wire::Role::Agent => pb::Role::Agent,
    };
    role.into()
}
