//! Canonical JSON: the examples of RFC 8785, and properties of any document.

use baton_encoding::{CanonicalJsonError, canonical_json};
use proptest::prelude::*;

fn canonical(text: &str) -> Result<String, CanonicalJsonError> {
    canonical_json(text)
}

#[test]
fn numbers_are_printed_as_the_rfc_lists_them() {
    for (bits, expect) in [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] {
        let written = format!("{:e}", f64::from_bits(bits));
        assert_eq!(canonical(&written).as_deref(), Ok(expect), "{bits:x}");
    }
}

#[test]
fn documents_are_written_as_in_the_rfc() {
    let sample = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let expect = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
                  \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
    assert_eq!(canonical(sample).as_deref(), Ok(expect));

    // Sorting by code points would swap the last two.
    let names = r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#;
    let expect = "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}";
    assert_eq!(canonical(names).as_deref(), Ok(expect));

    for (input, expect) in [
        ("[ ]", "[]"),
        ("{ }", "{}"),
        ("[56, {\"d\": true, \"10\": null, \"1\": []}]", "[56,{\"1\":[],\"10\":null,\"d\":true}]"),
        ("\"\\u0000\\u0008\\u001f\\u007f\\u2028\"", "\"\\u0000\\b\\u001f\u{7f}\u{2028}\""),
        ("[-0, 0.0, 1.0, 10e-1, 123456789012345678901234567890]", "[0,0,1,1,1.2345678901234568e+29]"),
    ] {
        assert_eq!(canonical(input).as_deref(), Ok(expect), "{input}");
    }
}

#[test]
fn ambiguous_documents_are_rejected() {
    let deep = format!("{}{}", "[".repeat(101), "]".repeat(101));
    for (input, expect) in [
        ("{\"a\":{\"b\":1,\"b\":1}}", Some(CanonicalJsonError::Duplicate("b".to_owned()))),
        ("{\"a\":1,\"\\u0061\":2}", Some(CanonicalJsonError::Duplicate("a".to_owned()))),
        ("[1e400]", Some(CanonicalJsonError::NotFinite("1e400".to_owned()))),
        ("[-1e400]", Some(CanonicalJsonError::NotFinite("-1e400".to_owned()))),
        (deep.as_str(), Some(CanonicalJsonError::TooDeep)),
        // Half a surrogate pair is not valid text.
        ("[\"\\ud800\"]", None),
        ("{\"\\ud800\":1}", None),
    ] {
        let refused = canonical(input).unwrap_err();
        match expect {
            Some(expect) => assert_eq!(refused, expect, "{input}"),
            None => assert!(matches!(refused, CanonicalJsonError::NotJson(_)), "{input}: {refused}"),
        }
    }
}

/// A document with its members in some order; it is written in two orders and spellings.
#[derive(Clone, Debug)]
enum Document {
    Leaf(String),
    List(Vec<Document>),
    Object(Vec<(String, Document)>),
}

impl Document {
    fn plain(&self) -> String {
        let name = |name: &String| serde_json::to_string(name).unwrap();
        match self {
            Self::Leaf(text) => text.clone(),
            Self::List(items) => format!("[{}]", items.iter().map(Self::plain).collect::<Vec<_>>().join(",")),
            Self::Object(members) => {
                let members = members.iter().map(|(own, value)| format!("{}:{}", name(own), value.plain()));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }
        }
    }

    /// The same document with reversed members, escaped names and white space.
    fn other(&self) -> String {
        let escaped = |name: &str| name.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect::<String>();
        match self {
            Self::Leaf(text) => format!("\t{text} "),
            Self::List(items) => format!("[{}]", items.iter().map(Self::other).collect::<Vec<_>>().join(" ,")),
            Self::Object(members) => {
                let members = members.iter().rev();
                let members = members.map(|(own, value)| format!("\n\"{}\" : {}", escaped(own), value.other()));
                format!("{{{} }}", members.collect::<Vec<_>>().join(","))
            }
        }
    }
}

fn document() -> impl Strategy<Value = Document> {
    let leaf = prop_oneof![
        "(null|true|false)",
        any::<f64>().prop_filter("JSON has no others", |number| number.is_finite()).prop_map(|it| format!("{it:e}")),
        any::<i32>().prop_map(|number| number.to_string()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    leaf.prop_map(Document::Leaf).prop_recursive(4, 32, 6, |inner| {
        let members = proptest::collection::hash_map(any::<String>(), inner.clone(), 0..6);
        prop_oneof![
            proptest::collection::vec(inner, 0..6).prop_map(Document::List),
            members.prop_map(|members| Document::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn only_meaning_affects_the_canonical_form(document in document()) {
        let canonical_text = canonical(&document.plain()).unwrap();
        prop_assert_eq!(&canonical(&document.other()).unwrap(), &canonical_text);
        prop_assert_eq!(&canonical(&canonical_text).unwrap(), &canonical_text);
        // Compared as trees of doubles, so that the comparison does not depend on text.
        prop_assert_eq!(tree(&canonical_text), tree(&document.plain()));
    }

    #[test]
    fn doubles_round_trip(number in any::<f64>()) {
        prop_assume!(number.is_finite());
        let written = canonical(&format!("{number:e}")).unwrap();
        prop_assert!(written.parse::<f64>().unwrap() == number, "{}", written);
        prop_assert!(!written.contains('E') && !written.ends_with(".0"));
    }
}

/// Parses the text independently of the code under test; numbers by their bits.
fn tree(text: &str) -> serde_json::Value {
    fn doubles(raw: &serde_json::value::RawValue) -> serde_json::Value {
        let text = raw.get();
        if let Ok(members) =
            serde_json::from_str::<std::collections::BTreeMap<String, &serde_json::value::RawValue>>(text)
        {
            return members.into_iter().map(|(name, value)| (name, doubles(value))).collect();
        }
        if let Ok(items) = serde_json::from_str::<Vec<&serde_json::value::RawValue>>(text) {
            return items.into_iter().map(doubles).collect();
        }
        match text.parse::<f64>() {
            // Negative zero equals zero.
            Ok(number) => format!("{:x}", (number + 0.0).to_bits()).into(),
            Err(_) => serde_json::from_str(text).unwrap(),
        }
    }
    doubles(serde_json::from_str(text).unwrap())
}
