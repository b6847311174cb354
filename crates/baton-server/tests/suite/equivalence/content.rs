//! Random content of messages.

use super::model::WORDS;
use baton_types::Json;
use baton_wire::a2a::v1::Part;
use rand::{RngExt as _, rngs::SmallRng};
use serde_json::{Map, Value};

pub(super) fn pick<'a, T>(rng: &mut SmallRng, from: &'a [T]) -> &'a T {
    &from[rng.random_range(0..from.len())]
}

pub(super) fn chance(rng: &mut SmallRng, percent: u32) -> bool {
    rng.random_range(0..100) < percent
}

const TEXTS: [&str; 10] = [
    "",
    "a",
    "What is it like in Zürich?",
    "日本語 и кириллица",
    "👩‍👩‍👧 family",
    "line\nbreak\ttab",
    "quote \" and back\\slash",
    "\u{202e}right to left",
    "e\u{301} in two",
    "nul \0 and \u{7f}",
];

const NAMES: [&str; 7] = ["", "a", "B", "é", "value", "data", "with \"quotes\""];

/// Integers and fractions whose text is unchanged by a conversion to `f64`.
const INTEGERS: [i64; 7] = [0, 1, -1, 42, 2_147_483_648, 9_007_199_254_740_992, -9_007_199_254_740_992];
const FRACTIONS: [f64; 7] = [0.5, -2.25, 0.1, 1e-7, 1e21, 1.5e300, 5e-324];

/// Base64 in both alphabets, with and without padding; some decode to text that is base64 itself.
const BYTES: [&str; 7] = ["", "aGk=", "aGk", "-_8=", "+/8=", "YUdrPQ==", "AAECAwQFBgc="];

/// Any JSON value.
pub(super) fn value(rng: &mut SmallRng, depth: u32) -> Value {
    match rng.random_range(0..if depth == 0 { 5 } else { 8 }) {
        0 => Value::Null,
        1 => rng.random_bool(0.5).into(),
        2 => (*pick(rng, &INTEGERS)).into(),
        3 => (*pick(rng, &FRACTIONS)).into(),
        4 => (*pick(rng, &TEXTS)).into(),
        5 => (0..rng.random_range(0..4)).map(|_| value(rng, depth - 1)).collect(),
        _ => object(rng, depth - 1).into(),
    }
}

/// Members are sorted by name, because no other order is kept by every binding.
fn object(rng: &mut SmallRng, depth: u32) -> Map<String, Value> {
    let mut members: Map<String, Value> =
        (0..rng.random_range(0..4)).map(|_| ((*pick(rng, &NAMES)).to_owned(), value(rng, depth))).collect();
    members.sort_keys();
    members
}

/// Metadata with at least one member.
pub(super) fn metadata(rng: &mut SmallRng) -> Map<String, Value> {
    let mut members = object(rng, 2);
    members.insert("note".to_owned(), (*pick(rng, &TEXTS)).into());
    members.sort_keys();
    members
}

/// Text that starts with a keyword of the model.
pub(super) fn words(rng: &mut SmallRng) -> String {
    if chance(rng, 65) {
        let word = pick(rng, &WORDS);
        if chance(rng, 50) { (*word).to_owned() } else { format!("{word} {}", pick(rng, &TEXTS)) }
    } else {
        format!("Hello there {}", pick(rng, &TEXTS))
    }
}

/// A text part and random further parts.
pub(super) fn parts(rng: &mut SmallRng, words: String) -> Vec<Part<'static>> {
    let mut first = Part::text(words);
    described(rng, &mut first, "text/markdown");
    let mut parts = vec![first];
    while parts.len() < 5 && chance(rng, 45) {
        parts.push(part(rng));
    }
    parts
}

fn part(rng: &mut SmallRng) -> Part<'static> {
    let mut part = Part::default();
    match rng.random_range(0..5) {
        0 => {
            part.text = Some((*pick(rng, &TEXTS)).into());
            described(rng, &mut part, "text/plain");
        }
        1 => {
            part.raw = Some((*pick(rng, &BYTES)).into());
            described(rng, &mut part, "text/plain; charset=utf-8");
        }
        2 => {
            part.url = Some((*pick(rng, &["https://example.com/a?b=c", "file:///é", ""])).into());
            described(rng, &mut part, "application/json");
        }
        _ => {
            part.data = Some(Json::from(value(rng, 4)));
            described(rng, &mut part, "application/json");
        }
    }
    part
}

fn described(rng: &mut SmallRng, part: &mut Part<'static>, media_type: &'static str) {
    part.metadata = chance(rng, 25).then(|| Value::Object(metadata(rng)).into());
    part.filename = chance(rng, 25).then(|| (*pick(rng, &["a.txt", "ä b.json"])).into());
    part.media_type = chance(rng, 25).then(|| media_type.into());
}
