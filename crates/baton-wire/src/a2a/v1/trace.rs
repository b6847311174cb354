//! W3C trace context in message metadata, for receivers that do not see HTTP headers.

use baton_types::{Json, TraceContext};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
    ser::{Serialize, SerializeMap as _, Serializer},
};
use std::fmt;

/// Metadata member with the sender's trace context.
pub const TRACEPARENT: &str = "traceparent";

/// Adds the trace context to the metadata. Metadata that is not an object stays unchanged.
pub fn with_traceparent(metadata: Option<&Json>, context: TraceContext) -> Option<Json> {
    let rest = match metadata.filter(|metadata| metadata.as_str().contains(TRACEPARENT)) {
        Some(metadata) => {
            read(metadata.as_str()).map_or(Some(metadata.clone()), |members| members.split_traceparent().1)
        }
        None => metadata.cloned(),
    };
    let text = rest.as_ref().map_or("{}", Json::as_str);
    let Some(members) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else { return rest };
    let comma = if members.is_empty() { "" } else { "," };
    // Existing members keep their exact text.
    Json::parse(&format!("{{{members}{comma}\"{TRACEPARENT}\":\"{context}\"}}")).ok().or(rest)
}

/// Removes and returns the trace context. It belongs to one delivery, not to the message.
pub fn take_traceparent(metadata: &mut Option<Json>) -> Option<TraceContext> {
    let text = metadata.as_ref()?.as_str();
    if !text.contains(TRACEPARENT) {
        return None;
    }
    let (traceparent, rest) = read(text)?.split_traceparent();
    let context = TraceContext::parse(&traceparent?.read::<String>().ok()?)?;
    *metadata = rest;
    Some(context)
}

fn read(text: &str) -> Option<TraceMembers> {
    serde_json::from_str(text).ok()
}

/// Members of an object in source order.
struct TraceMembers(Vec<(String, Json)>);

impl TraceMembers {
    /// The trace context, and the remaining members.
    fn split_traceparent(self) -> (Option<Json>, Option<Json>) {
        let (traceparent, rest): (Vec<_>, Vec<_>) = self.0.into_iter().partition(|(name, _)| name == TRACEPARENT);
        let rest = if rest.is_empty() { None } else { Json::from_serializable(&Self(rest)).ok() };
        (traceparent.into_iter().next_back().map(|(_, traceparent)| traceparent), rest)
    }
}

impl Serialize for TraceMembers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for TraceMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TraceMembersVisitor;

        impl<'de> Visitor<'de> for TraceMembersVisitor {
            type Value = TraceMembers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TraceMembers, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(TraceMembers(members))
            }
        }

        deserializer.deserialize_map(TraceMembersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn inserted_context_is_extracted_and_other_metadata_is_kept() {
        let context = TraceContext::parse(SPAN).unwrap();
        for text in [
            None,
            Some(r#"{"b":1.0,"a":{"traceparent":"x"}}"#),
            Some(r#"{"a":"}","z":12345678901234567890123,"é":"\",\"traceparent\":\"0\""}"#),
        ] {
            let before = text.map(|text| Json::parse(text).unwrap());
            let mut sent = with_traceparent(before.as_ref(), context);
            assert!(sent.as_ref().unwrap().as_str().ends_with(&format!("\"traceparent\":\"{SPAN}\"}}")), "{sent:?}");
            assert_eq!(take_traceparent(&mut sent), Some(context), "{text:?}");
            assert_eq!(sent.as_ref().map(Json::as_str), text, "remaining metadata");
        }
    }

    #[test]
    fn valid_context_is_replaced_and_invalid_metadata_is_kept() {
        let context = TraceContext::parse(SPAN).unwrap();
        for (text, expect) in [
            (r#"{"traceparent":"00-1-2-3","a":{"b":{}}}"#, format!(r#"{{"a":{{"b":{{}}}},"traceparent":"{SPAN}"}}"#)),
            (r#"{"traceparent":"00-1-2-3"}"#, format!(r#"{{"traceparent":"{SPAN}"}}"#)),
            ("[1]", "[1]".to_owned()),
        ] {
            let made = with_traceparent(Some(&Json::parse(text).unwrap()), context);
            assert_eq!(made.unwrap().as_str(), expect);
        }
        for text in [r#"{"traceparent":"00-1-2-3"}"#, r#"{"traceparent":7}"#, r#"{"a":"traceparent"}"#, "[1]"] {
            let mut metadata = Some(Json::parse(text).unwrap());
            assert_eq!(take_traceparent(&mut metadata), None);
            assert_eq!(metadata.unwrap().as_str(), text);
        }
    }
}
