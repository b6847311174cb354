//! JSON generator: each byte of a plan selects a member, kind or value from `grammar.txt`.
//!
//! A change of one byte changes one member, so the fuzzer's blind mutations become structural changes, and inputs
//! remain well-formed.

use std::{collections::BTreeMap, sync::LazyLock};

/// Upper bound of the generated text.
const MAX_TEXT_BYTES: usize = 256 * 1024;
/// Maximum nesting depth; well beyond the limit of servers.
const MAX_DEPTH: usize = 130;

#[derive(Clone, Debug)]
enum GrammarKind {
    Shape(&'static str),
    List(Box<GrammarKind>),
    Map(Box<GrammarKind>),
    Words(Vec<&'static str>),
}

type GrammarShape = Vec<(&'static str, GrammarKind)>;

static SHAPES: LazyLock<BTreeMap<&'static str, GrammarShape>> = LazyLock::new(|| {
    let lines = include_str!("../grammar.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let shape = |line: &'static str| {
        let (name, members) = line.split_once(": ").expect("a shape has a name");
        let member = |member: &'static str| {
            let (name, kind) = member.split_once('=').expect("a member has a kind");
            (name, self::kind(kind))
        };
        (name, members.split(' ').map(member).collect())
    };
    lines.map(shape).collect()
});

fn kind(text: &'static str) -> GrammarKind {
    if let Some(inside) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        GrammarKind::List(Box::new(kind(inside)))
    } else if let Some(inside) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        GrammarKind::Map(Box::new(kind(inside)))
    } else if let Some(words) = text.strip_prefix("word(").and_then(|rest| rest.strip_suffix(')')) {
        GrammarKind::Words(words.split('|').collect())
    } else {
        GrammarKind::Shape(text)
    }
}

/// JSON text of the named shape, generated from `plan`; every plan is valid.
pub(crate) fn write(plan: &[u8], shape: &'static str) -> String {
    let mut generator = JsonGenerator { plan: plan.iter(), out: String::new(), depth: 0 };
    generator.value(&kind(shape));
    generator.out
}

struct JsonGenerator<'a> {
    plan: std::slice::Iter<'a, u8>,
    out: String,
    depth: usize,
}

impl JsonGenerator<'_> {
    fn next(&mut self) -> usize {
        self.plan.next().copied().unwrap_or_default().into()
    }

    fn is_over(&self) -> bool {
        self.plan.as_slice().is_empty() || self.out.len() > MAX_TEXT_BYTES || self.depth > MAX_DEPTH
    }

    fn value(&mut self, kind: &GrammarKind) {
        match kind {
            // One in sixteen values is of an unexpected kind.
            _ if !self.is_over() && self.plan.as_slice()[0] >= 0xf0 => self.unexpected_value(kind),
            GrammarKind::Words(words) => {
                let word = words[self.next() % words.len()];
                self.string(word);
            }
            GrammarKind::List(inside) => self.list(inside),
            GrammarKind::Map(inside) => self.object(|_| None, inside),
            GrammarKind::Shape(name) => match SHAPES.get(name) {
                Some(members) => self.object(|choice| members.get(choice % members.len()), &GrammarKind::Shape("any")),
                None => self.leaf(name),
            },
        }
    }

    fn list(&mut self, inside: &GrammarKind) {
        let (most, mut first) = (self.next() % 8, true);
        self.nested('[', ']', |generator| {
            for _ in 0..most {
                if generator.is_over() {
                    break;
                }
                generator.comma(&mut first);
                generator.value(inside);
            }
        });
    }

    fn object<'k>(&mut self, member: impl Fn(usize) -> Option<&'k (&'static str, GrammarKind)>, inside: &GrammarKind) {
        let (most, mut first) = (self.next() % 16, true);
        self.nested('{', '}', |generator| {
            for _ in 0..most {
                if generator.is_over() {
                    break;
                }
                generator.comma(&mut first);
                let choice = generator.next();
                match member(choice & 0x3f) {
                    Some((name, kind)) => {
                        // Some names are in the other spelling.
                        let name = if choice >= 0xe0 { to_snake_case(name) } else { (*name).to_owned() };
                        generator.string(&name);
                        generator.out.push(':');
                        generator.value(kind);
                    }
                    None => {
                        generator.leaf("text");
                        generator.out.push(':');
                        generator.value(inside);
                    }
                }
            }
        });
    }

    fn nested(&mut self, open: char, close: char, inside: impl FnOnce(&mut Self)) {
        self.out.push(open);
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.out.push(close);
    }

    fn comma(&mut self, first: &mut bool) {
        if !std::mem::take(first) {
            self.out.push(',');
        }
    }

    /// Writes a value other than `kind`: null, another type, an empty value, or many repetitions.
    fn unexpected_value(&mut self, kind: &GrammarKind) {
        match self.next() & 0x0f {
            0..4 => self.out.push_str("null"),
            4..10 => self.leaf("any"),
            10 => self.list(kind),
            11 => self.object(|_| None, kind),
            12 => self.out.push_str("{\"\\u0061\":1,\"a\":2, \"a\" : [ ]}"),
            13 => {
                let (many, open) = (self.next() / 2, self.next().is_multiple_of(2));
                let (open, close) = if open { ("[", "]") } else { ("{\"x\":", "}") };
                self.out.push_str(&format!("{}1{}", open.repeat(many), close.repeat(many)));
            }
            14 => {
                let many = self.next() * 4;
                self.nested('[', ']', |generator| {
                    let start = generator.out.len();
                    generator.leaf("any");
                    let one = generator.out[start..].to_owned();
                    (1..many.min(MAX_TEXT_BYTES / one.len().max(1))).for_each(|_| {
                        generator.out.push(',');
                        generator.out.push_str(&one);
                    });
                });
            }
            _ => self.leaf("text"),
        }
    }

    fn leaf(&mut self, name: &str) {
        let choice = self.next();
        let pick = |from: &[&'static str]| from[choice % from.len()];
        match name {
            "bool" => self.out.push_str(pick(&["true", "false", "null", "1", "\"true\""])),
            "integer" => self.out.push_str(pick(INTEGERS)),
            "time" => self.string(pick(TIMES)),
            "base64" => self.string(pick(BASE64)),
            "url" => self.string(pick(URLS)),
            "name" => self.string(pick(NAMES)),
            "id" => self.string(pick(&["t", "m-1", "", "a/b", "\u{e9}", "0198c0de", "a\nb", "None"])),
            "json" | "any" => match choice % 8 {
                0 => self.out.push_str(pick(INTEGERS)),
                1 => self.value(&GrammarKind::List(Box::new(GrammarKind::Shape("any")))),
                2 => self.value(&GrammarKind::Map(Box::new(GrammarKind::Shape("any")))),
                3 => self.value(&GrammarKind::Shape("data")),
                4 => self.out.push_str(pick(&["true", "false", "null"])),
                5 => self.value(&GrammarKind::Shape("metadata")),
                _ => self.leaf("text"),
            },
            _ => match choice {
                0..200 => self.string(pick(TEXTS)),
                200..240 => {
                    let letters: String = (0..choice % 12).map(|_| char::from(self.next() as u8)).collect();
                    self.string(&letters);
                }
                _ => {
                    let many = self.next() * 8;
                    self.string(&"x".repeat(many));
                }
            },
        }
    }

    fn string(&mut self, text: &str) {
        self.out.push_str(&serde_json::to_string(text).unwrap_or_default());
    }
}

fn to_snake_case(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

const INTEGERS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "100",
    "101",
    "2147483647",
    "2147483648",
    "-2147483649",
    "9007199254740993",
    "1.0",
    "1.5",
    "-0",
    "-0.0",
    "1e3",
    "1e400",
    "18446744073709551616",
    "\"3\"",
    "\"-0\"",
    "\"x\"",
    "null",
    "1E-7",
    "0.1",
    "123456789012345678901234567890",
    "5e-324",
    "1.7976931348623157e308",
];
const TIMES: &[&str] = &[
    "2026-11-15T12:00:00Z",
    "2026-11-15T12:00:00.123456789+02:00",
    "2026-11-15T12:00:00",
    "2026-11-15",
    "yesterday",
    "-009999-01-02T01:59:59Z",
    "9999-12-30T22:00:00.999Z",
    "0000-01-01T00:00:00Z",
    "1969-12-31T23:59:59.9999Z",
    "2016-12-31T23:59:60Z",
    "2026-11-15T12:00:00+25:59",
    "2026-11-15 12:00z",
    "20261115T120000Z",
    "",
];
const BASE64: &[&str] =
    &["", "aGk=", "aGk", "-_8", "+/8=", "YUdrPQ==", "LV84PQ", "a", "=", "a b", "+-", "AAAA", "////"];
const URLS: &[&str] =
    &["", "https://example.com/hook", "http://127.0.0.1/", "a.example:443", "a b", "\u{e9}", "ftp://x"];
const NAMES: &[&str] = &[
    "tasks/t",
    "tasks/t/pushNotificationConfigs/c",
    "tasks/t/pushNotificationConfigs/a/b",
    "tasks/",
    "t",
    "",
    "tasks/t/pushNotificationConfigs",
    "tasks//pushNotificationConfigs/",
    "tasks/t/pushNotificationConfigs/",
];
const TEXTS: &[&str] = &[
    "",
    "hi",
    "text/plain",
    "application/json",
    "Bearer",
    "\u{1f600}\u{e9}",
    "\"\\\n\u{0}",
    "user",
    "system",
    "json",
    "contextcore",
    "type",
    "value",
    "data_part_compat",
    "a2a",
    "{}",
    "null",
    "https://baton.dev/extensions/idempotency/v1",
];
