//! Writes readable YAML: multi-line text as block scalars, quotes only where they are needed.

use super::tree::{OrderedMap, OrderedValue};

/// The document.
pub(super) fn write(map: &OrderedMap) -> String {
    let mut text = String::new();
    entries(&mut text, map, 0);
    text
}

fn entries(text: &mut String, OrderedMap(all): &OrderedMap, indent: usize) {
    for (index, (key, value)) in all.iter().enumerate() {
        if index > 0 {
            text.push_str(&" ".repeat(indent));
        }
        text.push_str(&scalar(key));
        text.push(':');
        below(text, value, indent);
    }
}

/// Writes the value of a key whose line starts at this column.
fn below(text: &mut String, value: &OrderedValue, indent: usize) {
    match value {
        OrderedValue::Map(map) if !map.is_empty() => {
            text.push('\n');
            text.push_str(&" ".repeat(indent + 2));
            entries(text, map, indent + 2);
        }
        OrderedValue::List(all) if !all.is_empty() => {
            text.push('\n');
            for entry in all {
                text.push_str(&" ".repeat(indent + 2));
                text.push('-');
                in_list(text, entry, indent + 2);
            }
        }
        _ => plain(text, value, indent),
    }
}

/// Writes the value of a list entry whose dash is at this column.
fn in_list(text: &mut String, value: &OrderedValue, indent: usize) {
    match value {
        OrderedValue::Map(map) if !map.is_empty() => {
            text.push(' ');
            entries(text, map, indent + 2);
        }
        OrderedValue::List(all) if !all.is_empty() => {
            text.push_str(&format!(" {}\n", flow(value)));
        }
        _ => plain(text, value, indent),
    }
}

fn plain(text: &mut String, value: &OrderedValue, indent: usize) {
    match value {
        OrderedValue::Text(content) => match block(content, indent + 2) {
            Some(block) => text.push_str(&format!(" {block}")),
            None => text.push_str(&format!(" {}\n", scalar(content))),
        },
        _ => text.push_str(&format!(" {}\n", flow(value))),
    }
}

/// The value in flow style, on one line.
fn flow(value: &OrderedValue) -> String {
    match value {
        OrderedValue::Null => "null".to_owned(),
        OrderedValue::Bool(value) => value.to_string(),
        OrderedValue::Number(number) => number.to_string(),
        OrderedValue::Text(text) => quoted(text),
        OrderedValue::List(all) => format!("[{}]", all.iter().map(flow).collect::<Vec<_>>().join(", ")),
        OrderedValue::Map(OrderedMap(all)) => {
            let all: Vec<String> = all.iter().map(|(key, value)| format!("{}: {}", quoted(key), flow(value))).collect();
            format!("{{{}}}", all.join(", "))
        }
    }
}

/// Multi-line text as a block scalar; `None` if a line cannot be written verbatim.
fn block(text: &str, indent: usize) -> Option<String> {
    let body = text.trim_end_matches('\n');
    let is_good = text.contains('\n')
        && !body.is_empty()
        && !body.starts_with([' ', '\t', '\n'])
        && body.lines().all(|line| line.is_empty() || !line.trim().is_empty())
        && text.chars().all(|c| c == '\n' || c == '\t' || is_printable(c));
    if !is_good {
        return None;
    }
    let sign = match text.len() - body.len() {
        0 => "|-",
        1 => "|",
        _ => "|+",
    };
    let mut block = format!("{sign}\n");
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        if !line.is_empty() {
            block.push_str(&" ".repeat(indent));
            block.push_str(line);
        }
        block.push('\n');
    }
    Some(block)
}

fn is_printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Text on one line, quoted unless it is unambiguous as a plain scalar.
fn scalar(text: &str) -> String {
    const WORDS: [&str; 12] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity"];
    let inside = |c: char| c.is_alphanumeric() || " _./()-+'!?,;@%=:".contains(c);
    let is_safe = text.starts_with(|c: char| c.is_alphabetic())
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && text.chars().all(inside)
        && !WORDS.contains(&text.to_lowercase().as_str());
    if is_safe { text.to_owned() } else { quoted(text) }
}

fn quoted(content: &str) -> String {
    let mut text = String::with_capacity(content.len() + 2);
    text.push('"');
    for c in content.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            c if is_printable(c) => text.push(c),
            c => text.push_str(&format!("\\u{:04X}", u32::from(c))),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_document::read;
    use proptest::prelude::*;

    fn texts() -> impl Strategy<Value = String> {
        prop_oneof!["[ -~äß漢\n\t]{0,40}", "(\n|a|  b|#|: |- |\\||---\n){0,8}", any::<String>(), "[a-z: #\n'\"-]{0,20}"]
    }

    fn trees() -> impl Strategy<Value = OrderedValue> {
        let leaf = prop_oneof![
            Just(OrderedValue::Null),
            any::<bool>().prop_map(OrderedValue::Bool),
            any::<u32>().prop_map(OrderedValue::from),
            (0u16..3000).prop_map(|n| OrderedValue::from(baton_types::Thousandths(n))),
            texts().prop_map(OrderedValue::Text),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(OrderedValue::List),
                prop::collection::btree_map(texts(), inner, 0..4)
                    .prop_map(|map| OrderedValue::Map(OrderedMap(map.into_iter().collect()))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn written_yaml_is_read_back(entries in prop::collection::btree_map(texts(), trees(), 1..5)) {
            let map = OrderedMap(entries.into_iter().collect());
            let yaml = write(&map);
            let node = read("f", yaml.as_bytes());
            prop_assert!(node.is_ok(), "{}\n{:?}", yaml, node);
            prop_assert_eq!(OrderedValue::from_node(&node.unwrap()), OrderedValue::Map(map.clone()), "{}", yaml);
            let json = OrderedValue::Map(map).to_json();
            let node = baton_document::read_json("f", json.as_bytes());
            prop_assert!(node.is_ok(), "{}\n{:?}", json, node);
        }
    }

    #[test]
    fn output_is_readable_yaml() {
        let mut rule = OrderedMap::default();
        rule.set("name", "house-style");
        rule.set("text", "Short words.\n\nShort sentences.\n");
        rule.set("tags", OrderedValue::texts(&["a b".to_owned(), "true".to_owned(), "7".to_owned()]));
        let mut map = OrderedMap::default();
        map.set("name", "Bob Agent");
        map.set("note", "a: b # c");
        map.set("rules", vec![OrderedValue::from(rule)]);
        map.set("none", OrderedMap::default());
        insta::assert_snapshot!(write(&map), @r#"
        name: Bob Agent
        note: "a: b # c"
        rules:
          - name: house-style
            text: |
              Short words.

              Short sentences.
            tags:
              - a b
              - "true"
              - "7"
        none: {}
        "#);
    }
}
