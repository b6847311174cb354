//! JSON values that preserve numbers exactly as written.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, value::RawValue};
use std::{borrow::Cow, fmt, sync::Arc};

/// Maximum nesting depth that Baton accepts.
pub const MAX_JSON_DEPTH: usize = 100;

/// Any JSON value as compact text, so that `42`, `42.0` and integers beyond 2^64 keep their exact form.
#[derive(Clone)]
pub struct Json(Arc<RawValue>);

/// Error for text that is not valid JSON.
#[derive(Debug, thiserror::Error)]
#[error("not JSON: {0}")]
pub struct JsonError(#[from] serde_json::Error);

impl Json {
    /// Validates and compacts JSON text.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        Ok(Self::from_raw(serde_json::from_str(text)?))
    }

    /// Serializes a value; fails only for maps with keys that are not strings.
    pub fn from_serializable(value: &impl Serialize) -> Result<Self, JsonError> {
        Ok(Self(Arc::from(serde_json::value::to_raw_value(value)?)))
    }

    /// Creates a JSON string.
    pub fn string(text: &str) -> Self {
        Self::from(Value::String(text.to_owned()))
    }

    /// Compact JSON text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Parses into a `serde_json` tree. Numbers beyond 64 bits lose digits here, and only here.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(self.as_str()).unwrap_or(Value::Null)
    }

    /// Deserializes into a type.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, JsonError> {
        Ok(serde_json::from_str(self.as_str())?)
    }

    /// Whether the value is a JSON object.
    pub fn is_object(&self) -> bool {
        self.as_str().starts_with('{')
    }

    /// Readable text: the content of a string, the JSON text of any other value.
    pub fn to_plain_text(&self) -> String {
        match serde_json::from_str::<String>(self.as_str()) {
            Ok(text) => text,
            Err(_) => self.as_str().to_owned(),
        }
    }

    /// Text without white space between its tokens, the common case, is used without copying.
    fn from_raw(raw: Box<RawValue>) -> Self {
        let text = raw.get();
        let (mut out, mut copied, mut at) = (String::new(), 0, 0);
        while let Some(byte) = text.as_bytes().get(at) {
            match byte {
                b'"' => at = find_string_end(text.as_bytes(), at),
                b' ' | b'\t' | b'\n' | b'\r' => {
                    out.push_str(&text[copied..at]);
                    at += 1;
                    copied = at;
                }
                _ => at += 1,
            }
        }
        if copied == 0 {
            return Self(Arc::from(raw));
        }
        out.push_str(&text[copied..]);
        Self(Arc::from(RawValue::from_string(out).unwrap_or(raw)))
    }
}

/// Position after the string that begins at `start`.
fn find_string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(next) = bytes.get(at..).and_then(|rest| rest.iter().position(|b| matches!(b, b'"' | b'\\'))) {
        at += next;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        match serde_json::value::to_raw_value(&value) {
            Ok(raw) => Self(Arc::from(raw)),
            Err(_) => Self(Arc::from(RawValue::NULL.to_owned())),
        }
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from_raw)
    }
}

impl JsonSchema for Json {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::default()
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Json {}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_kept_and_white_space_is_removed() {
        for (input, expect) in [
            ("42", "42"),
            ("42.0", "42.0"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("{ \"a b\" : [ 1 , 2.50 ],\n\"q\":\"x \\\" y\" }", "{\"a b\":[1,2.50],\"q\":\"x \\\" y\"}"),
            ("\"\\\\\"", "\"\\\\\""),
        ] {
            assert_eq!(Json::parse(input).map(|json| json.as_str().to_owned()).ok().as_deref(), Some(expect));
        }
        assert!(Json::parse("{\"a\":}").is_err());
    }
}
