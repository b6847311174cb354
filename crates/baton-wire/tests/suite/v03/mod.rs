//! A2A 0.3 and its mapping to 1.0.

mod arbitrary;
mod card;
mod jsonrpc;
mod refusals;
mod rest;

use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

fn written(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// Converts a value from 0.3 to 1.0 and back; returns both texts, labelled with the 0.3 type.
fn convert_both_ways<Old, New>(title: &str, old: &str, into: impl Fn(Old) -> New, back: impl Fn(New) -> Old) -> String
where
    Old: Serialize + DeserializeOwned,
    New: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let new = into(serde_json::from_str(old).unwrap());
    let text = written(&new);
    let again: New = serde_json::from_str(&text).unwrap();
    assert_eq!(again, new, "{title}");
    assert_eq!(written(&back(again)), old, "{title}");
    format!("{title}\n  0.3 {old}\n  1.0 {text}")
}
