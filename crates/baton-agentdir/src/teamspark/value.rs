//! Values as earlier versions wrote them: numbers are often text.

use baton_document::{DocumentNode, DocumentReader, Fields, NodeValue};
use baton_types::Thousandths;

/// Text. An unquoted version such as `1.0` is a number in YAML and is converted to text.
pub(crate) fn text(reader: &mut DocumentReader, subject: &str, node: &DocumentNode) -> Option<String> {
    match &node.value {
        NodeValue::Text(text) => Some(text.clone()),
        NodeValue::Number(_) | NodeValue::Bool(_) => Some(node.to_json().to_string()),
        _ => reader.report_expected(subject, "text", node),
    }
}

/// Trimmed text of a key; `None` if it is empty.
pub(super) fn field(reader: &mut DocumentReader, fields: &mut Fields, key: &'static str) -> Option<String> {
    let node = fields.take(key)?;
    text(reader, key, &node).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// A list of texts.
pub(super) fn texts(reader: &mut DocumentReader, fields: &mut Fields, key: &'static str) -> Vec<String> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    let subject = format!("each entry of {key}");
    reader.list(key, node).iter().filter_map(|node| text(reader, &subject, node)).collect()
}

/// A boolean, or text that is one.
pub(super) fn flag(reader: &mut DocumentReader, fields: &mut Fields, key: &'static str) -> Option<bool> {
    let node = fields.take(key)?;
    match &node.value {
        NodeValue::Text(text) if text == "true" => Some(true),
        NodeValue::Text(text) if text == "false" => Some(false),
        _ => reader.boolean(key, &node),
    }
}

/// A whole number within bounds, or text that is one.
pub(super) fn integer(reader: &mut DocumentReader, fields: &mut Fields, key: &'static str, high: u64) -> Option<u64> {
    let node = numeric_node(reader, fields, key)?;
    let NodeValue::Number(number) = &node.value else { return None };
    // Some editors write 20 as `20.0`.
    let parsed = number.as_u64().or_else(|| number.to_string().strip_suffix(".0")?.parse().ok());
    let good = parsed.filter(|parsed| (1..=high).contains(parsed));
    if good.is_none() {
        reader.error(node.location, format!("{key} is {number}"), format!("choose a whole number from 1 to {high}"));
    }
    good
}

/// A number from 0 to a bound, or text that is one.
pub(super) fn fraction(
    reader: &mut DocumentReader,
    fields: &mut Fields,
    key: &'static str,
    high: f64,
) -> Option<Thousandths> {
    let node = numeric_node(reader, fields, key)?;
    let NodeValue::Number(number) = &node.value else { return None };
    let good = number.as_f64().filter(|number| (0.0..=high).contains(number)).and_then(Thousandths::from_f64);
    if good.is_none() {
        reader.error(node.location, format!("{key} is {number}"), format!("choose a number from 0 to {high}"));
    }
    good
}

fn numeric_node(reader: &mut DocumentReader, fields: &mut Fields, key: &'static str) -> Option<DocumentNode> {
    let node = fields.take(key)?;
    match &node.value {
        NodeValue::Number(_) => Some(node),
        NodeValue::Text(text) if text.trim().is_empty() => None,
        NodeValue::Text(text) => match text.trim().parse() {
            Ok(number) => Some(DocumentNode { location: node.location, value: NodeValue::Number(number) }),
            Err(_) => reader.report_expected(key, "a number", &node),
        },
        _ => reader.report_expected(key, "a number", &node),
    }
}
