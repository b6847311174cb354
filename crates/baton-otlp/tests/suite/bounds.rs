//! Small bodies cannot use much memory.

use crate::generate::span;
use baton_otlp::{Encoding, Export, MAX_ITEMS, MAX_SPANS, ReadError, write_export};

/// A length-delimited protobuf field.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    let mut length = content.len();
    while length >= 0x80 {
        bytes.push(u8::try_from(length & 0x7f).expect("seven bits") | 0x80);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).expect("seven bits"));
    bytes.extend_from_slice(content);
    bytes
}

fn refusal(encoding: Encoding, body: &[u8]) -> ReadError {
    Export::measure(encoding, body).and_then(|export| export.decode()).expect_err("too much")
}

#[test]
fn empty_messages_are_counted_before_allocation() {
    let spans = |count: usize| field(1, &field(2, &field(2, &[]).repeat(count)));
    assert!(Export::measure(Encoding::Protobuf, &spans(MAX_SPANS)).is_ok());
    assert_eq!(
        refusal(Encoding::Protobuf, &spans(MAX_SPANS + 1)),
        ReadError::TooMany { kind: "spans", limit: MAX_SPANS }
    );
    let attributes = field(1, &field(2, &field(2, &field(9, &[]).repeat(MAX_ITEMS))));
    let groups = field(1, &[]).repeat(MAX_ITEMS + 1);
    let values = field(9, &field(2, &field(5, &field(1, &[]).repeat(MAX_ITEMS))));
    let values = field(1, &field(2, &field(2, &values)));
    for body in [attributes, groups, values] {
        assert!(matches!(refusal(Encoding::Protobuf, &body), ReadError::TooMany { limit: MAX_ITEMS, .. }));
    }
    let objects = format!("{{\"resourceSpans\":[{}{{}}]}}", "{},".repeat(MAX_ITEMS));
    assert!(matches!(refusal(Encoding::Json, objects.as_bytes()), ReadError::TooMany { limit: MAX_ITEMS, .. }));
}

#[test]
fn json_spans_are_counted_before_allocation() {
    let spans = |name: &str, count: usize| {
        let (half, rest) = (vec!["{}"; count / 2].join(","), vec!["{}"; count - count / 2].join(","));
        format!(
            "{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"{name}\":[{half}]}}]}},{{\"scope_spans\":[{{\"{name}\":[{rest}]}}]}}]}}"
        )
    };
    let weighed = |name: &str, count| Export::measure(Encoding::Json, spans(name, count).as_bytes()).map(drop);
    // Names may contain escapes, and members of other names do not count.
    for name in ["spans", "sp\\u0061ns"] {
        assert_eq!(weighed(name, MAX_SPANS), Ok(()), "{name}");
        let refused = Err(ReadError::TooMany { kind: "spans", limit: MAX_SPANS });
        assert_eq!(weighed(name, MAX_SPANS + 1), refused, "{name}");
    }
    assert_eq!(weighed("spansOfTomorrow", MAX_SPANS + 1), Ok(()));
}

#[test]
fn lists_in_place_of_objects_are_rejected() {
    let inside = |member: &str, what: &str| format!("{{\"{member}\":{what}}}");
    let spans = |what: &str| {
        let scope = inside("scopeSpans", &format!("[{}]", inside("spans", &format!("[{what}]"))));
        inside("resourceSpans", &format!("[{scope}]"))
    };
    let attribute = |what: &str| spans(&inside("attributes", &format!("[{what}]")));
    let value = |what: &str| attribute(&inside("value", what));
    for body in [
        "[]".to_owned(),
        inside("resourceSpans", "[[]]"),
        inside("resourceSpans", "[{\"resource\":[]}]"),
        inside("resourceSpans", "[{\"scopeSpans\":[[]]}]"),
        inside("resourceSpans", "[{\"scopeSpans\":[{\"scope\":[]}]}]"),
        spans(&vec!["[]"; 1000].join(",")),
        spans("{\"events\":[[]]}"),
        spans("{\"links\":[[]]}"),
        spans("{\"status\":[]}"),
        attribute("[]"),
        value("[]"),
        value("{\"arrayValue\":[]}"),
        value("{\"arrayValue\":{\"values\":[[]]}}"),
        value("{\"kvlistValue\":[]}"),
        value("{\"kvlistValue\":{\"values\":[[]]}}"),
    ] {
        let refused = refusal(Encoding::Json, body.as_bytes());
        assert!(
            matches!(&refused, ReadError::Malformed(why) if why.contains("expected an object")),
            "{body} {refused}"
        );
    }
}

#[test]
fn braces_in_text_are_not_counted() {
    let mut span = span();
    let content = "{\"\\\"{".repeat(1000);
    span.attributes.push(("gen_ai.input.messages".into(), content.into()));
    let body = write_export(&[span], Encoding::Json);
    let weight = Export::measure(Encoding::Json, &body).expect("little").estimated_bytes();
    assert!(weight < body.len() + 2000, "{weight} of {}", body.len());
}

#[test]
fn deeply_nested_body_is_rejected() {
    let deep = (0..200).fold(Vec::new(), |inner, _| field(5, &field(1, &inner)));
    let body = field(1, &field(2, &field(2, &field(9, &field(2, &deep)))));
    assert!(matches!(refusal(Encoding::Protobuf, &body), ReadError::Malformed(_)));
    let deep = format!("{}{}", "{\"arrayValue\":{\"values\":[".repeat(200), "]}}".repeat(200));
    let body =
        format!("{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":[{{\"key\":\"a\",\"value\":{deep}}}]}}}}]}}");
    assert!(matches!(refusal(Encoding::Json, body.as_bytes()), ReadError::Malformed(_)));
}
