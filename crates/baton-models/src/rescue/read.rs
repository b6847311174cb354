//! Parsing of text into tool calls.

use serde_json::{Map, Value};

const TAG: &str = "<tool_call>";
const TAG_END: &str = "</tool_call>";
const FENCE: &str = "```";
const NAME_KEYS: &[&str] = &["name", "tool_name", "function_name", "tool", "function"];
const ARGUMENT_KEYS: &[&str] = &["arguments", "parameters", "args", "input"];
/// Keys of a call that are ignored.
const IGNORED_KEYS: &[&str] = &["id", "type"];
/// Maximum number of calls; a longer list is not treated as calls.
const MAX_PARSED_CALLS: usize = 64;

/// Tool name and arguments.
type ParsedCall = (String, Value);

/// The calls in the text; empty if the text contains anything else.
pub(super) fn parse_calls(text: &str, names: &[String]) -> Vec<ParsedCall> {
    let mut calls = Vec::new();
    match parse_text(text, names, &mut calls) {
        Some(()) if calls.len() <= MAX_PARSED_CALLS => calls,
        _ => Vec::new(),
    }
}

fn parse_text(text: &str, names: &[String], calls: &mut Vec<ParsedCall>) -> Option<()> {
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(TAG) {
            // The last tag may be unclosed: some models stop there.
            let (inside, after) = after.split_once(TAG_END).unwrap_or((after, ""));
            parse_values(inside, names, true, calls)?;
            rest = after.trim_start();
        } else if let Some(after) = rest.strip_prefix(FENCE) {
            let (_, after) = after.split_once('\n')?;
            let (inside, after) = after.split_once(FENCE).unwrap_or((after, ""));
            match inside.trim_start().starts_with(TAG) {
                true => parse_text(inside, names, calls)?,
                false => parse_values(inside, names, false, calls)?,
            }
            rest = after.trim_start();
        } else {
            let at = [TAG, FENCE].iter().filter_map(|mark| rest.find(&format!("\n{mark}"))).min().unwrap_or(rest.len());
            parse_values(&rest[..at], names, false, calls)?;
            rest = rest[at..].trim_start();
        }
    }
    Some(())
}

/// Parses consecutive JSON values, separated by whitespace or nothing.
fn parse_values(text: &str, names: &[String], marked: bool, calls: &mut Vec<ParsedCall>) -> Option<()> {
    let (before, mut rest) = (calls.len(), text.trim());
    while !rest.is_empty() {
        let (value, after) = parse_value(rest)?;
        rest = after.trim_start();
        match value {
            Value::Array(items) => {
                for item in items {
                    calls.push(parse_call(item, names, marked)?);
                }
            }
            Value::Object(mut object) if object.len() == 1 && object.contains_key("tool_calls") => {
                let Some(Value::Array(items)) = object.remove("tool_calls") else { return None };
                for item in items {
                    calls.push(parse_call(item, names, true)?);
                }
            }
            value => calls.push(parse_call(value, names, marked)?),
        }
    }
    (calls.len() > before).then_some(())
}

/// The first JSON value and the remaining text. An object may have doubled braces: some models copy them from the
/// prompt template that describes a call.
fn parse_value(text: &str) -> Option<(Value, &str)> {
    let doubled = text.strip_prefix('{').filter(|inside| inside.starts_with('{'));
    let inside = doubled.unwrap_or(text);
    let mut values = serde_json::Deserializer::from_str(inside).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let after = &inside[values.byte_offset()..];
    Some((value, if doubled.is_some() { after.trim_start().strip_prefix('}')? } else { after }))
}

/// Parses one call in any known form; arguments may be absent only where the value is marked as a call.
fn parse_call(value: Value, names: &[String], marked: bool) -> Option<ParsedCall> {
    let Value::Object(mut object) = value else { return None };
    for key in ["function", "function_call"] {
        if let Some(Value::Object(_)) = object.get(key) {
            let inner = object.remove(key)?;
            return object
                .keys()
                .all(|key| IGNORED_KEYS.contains(&key.as_str()))
                .then(|| parse_call(inner, names, true))?;
        }
    }
    let name = take(&mut object, NAME_KEYS)?;
    let arguments = take(&mut object, ARGUMENT_KEYS);
    if object.keys().any(|key| !IGNORED_KEYS.contains(&key.as_str())) {
        return None;
    }
    let name = name.as_str().filter(|name| names.iter().any(|known| known == name))?.to_owned();
    let arguments = match arguments {
        None if marked => Value::Object(Map::new()),
        None => return None,
        Some(Value::String(text)) => serde_json::from_str(&text).ok()?,
        Some(value) => value,
    };
    arguments.is_object().then_some((name, arguments))
}

fn take(object: &mut Map<String, Value>, keys: &[&str]) -> Option<Value> {
    keys.iter().find_map(|key| object.remove(*key))
}
