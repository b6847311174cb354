use baton_types::Json;
use proptest::prelude::*;
use serde_json::Value;

/// JSON text with white space and numbers that no machine type holds, and its compact form.
pub(crate) fn texts() -> impl Strategy<Value = (String, String)> {
    let number = "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?";
    let leaf = prop_oneof![
        number.prop_map(|text| (text.clone(), text)),
        ".*".prop_map(|text| Value::from(text).to_string()).prop_map(|text| (text.clone(), text)),
        prop::sample::select(vec!["null", "true", "false", "\" \\\" \\\\\"", "\"\\u0020\\n\""])
            .prop_map(|text| (text.to_owned(), text.to_owned())),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let space = "[ \\t\\r\\n]{0,2}";
        prop_oneof![
            (space, prop::collection::vec(inner.clone(), 0..4)).prop_map(|(space, items)| {
                let (loose, tight): (Vec<_>, Vec<_>) = items.into_iter().unzip();
                (
                    format!("[{space}{}{space}]", loose.join(&format!("{space},{space}"))),
                    format!("[{}]", tight.join(",")),
                )
            }),
            (space, prop::collection::vec((".{0,3}", inner), 0..4)).prop_map(|(space, items)| {
                let pair = |key: &str, colon: &str, value: &str| format!("{}{colon}{value}", Value::from(key));
                let loose: Vec<_> =
                    items.iter().map(|(key, (loose, _))| pair(key, &format!("{space}:{space}"), loose)).collect();
                let tight: Vec<_> = items.iter().map(|(key, (_, tight))| pair(key, ":", tight)).collect();
                (
                    format!("{{{space}{}{space}}}", loose.join(&format!("{space},{space}"))),
                    format!("{{{}}}", tight.join(",")),
                )
            }),
        ]
    })
}

proptest! {
    #[test]
    fn only_white_space_between_tokens_is_lost((loose, tight) in texts()) {
        let json = Json::parse(&loose).unwrap();
        prop_assert_eq!(json.as_str(), &tight);
        prop_assert_eq!(Json::parse(&tight).unwrap(), json.clone());
        let nested: Vec<Option<Json>> = serde_json::from_str(&format!("[ {loose} ]")).unwrap();
        let whole = serde_json::to_string(&nested).unwrap();
        prop_assert_eq!(whole, format!("[{tight}]"));
        prop_assert_eq!(json.is_object(), tight.starts_with('{'));
    }

    #[test]
    fn text_survives_as_a_string(text in ".*") {
        let json = Json::string(&text);
        prop_assert_eq!(json.to_plain_text(), text.clone());
        prop_assert_eq!(json.to_value(), Value::from(text));
    }

    #[test]
    fn parser_accepts_the_same_texts_as_serde_json(text in "[\\[\\]{}\",:0-9eE+\\-. ntrufalse\\\\]{0,12}") {
        prop_assert_eq!(Json::parse(&text).is_ok(), serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok());
    }
}
