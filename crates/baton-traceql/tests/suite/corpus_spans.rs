//! Reads the spans of the corpus.

use baton_traceql::TraceSpans;
use baton_types::{
    AttributeKey, Attributes, Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanResource, SpanScope,
    SpanStatus, SpanValue, TraceId,
};
use std::sync::Arc;

/// Traces with their letters, in the order of the file.
pub(crate) fn traces() -> Vec<(String, TraceSpans)> {
    let mut traces: Vec<(String, TraceSpans)> = Vec::new();
    let mut shared = (0, Attributes::new());
    for line in include_str!("corpus/spans.txt").lines() {
        let mut words = LineReader(line.trim());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match words.peek() {
            "trace" if line.starts_with("trace") => {
                words.word();
                let letter = words.word().to_owned();
                assert_eq!(words.word(), "at");
                let start = words.time();
                shared = (start, words.pairs());
                traces.push((letter, TraceSpans::default()));
            }
            "span" if line.starts_with("span") => {
                let (letter, trace) = traces.last_mut().unwrap();
                words.word();
                trace.spans.push(span(&mut words, letter, &shared));
            }
            _ => detail(&mut words, traces.last_mut().unwrap().1.spans.last_mut().unwrap()),
        }
    }
    traces
}

pub(crate) fn label(span: &Span) -> String {
    let letters = span.id.0.iter().filter(|letter| **letter != 0);
    letters.map(|letter| char::from(*letter)).collect()
}

fn span_id(label: &str) -> SpanId {
    let mut id = [0; 8];
    id[8 - label.len()..].copy_from_slice(label.as_bytes());
    SpanId(id)
}

fn trace_id(letter: &str) -> TraceId {
    let mut id = [0; 16];
    id[16 - letter.len()..].copy_from_slice(letter.as_bytes());
    TraceId(id)
}

fn span(words: &mut LineReader<'_>, letter: &str, (start, resource): &(u64, Attributes)) -> Span {
    let id = span_id(words.word());
    let parent = (words.peek() == "in").then(|| {
        words.word();
        span_id(words.word())
    });
    let name = text(&words.value());
    let (after, lasts) = words.word().split_once('+').unwrap();
    let start = start + LineReader(after).time();
    let mut span = Span {
        trace: trace_id(letter),
        id,
        parent,
        trace_state: String::new(),
        flags: 1,
        name: AttributeKey::Owned(name),
        kind: SpanKind::Internal,
        start,
        end: start + LineReader(lasts).time(),
        attributes: Attributes::new(),
        events: Vec::new(),
        links: Vec::new(),
        status: SpanStatus::Unset,
        status_message: String::new(),
        dropped: SpanDropCounts::default(),
        resource: Arc::new(SpanResource { attributes: resource.clone(), ..SpanResource::default() }),
        scope: Arc::new(SpanScope::default()),
    };
    while !words.0.is_empty() {
        match words.peek() {
            "ok" => span.status = SpanStatus::Ok,
            "error" => span.status = SpanStatus::Error,
            "internal" => span.kind = SpanKind::Internal,
            "server" => span.kind = SpanKind::Server,
            "client" => span.kind = SpanKind::Client,
            "producer" => span.kind = SpanKind::Producer,
            "consumer" => span.kind = SpanKind::Consumer,
            _ => {
                span.status_message = text(&words.value());
                continue;
            }
        }
        words.word();
    }
    span
}

fn detail(words: &mut LineReader<'_>, span: &mut Span) {
    match words.peek() {
        "@resource" => {
            words.word();
            let resource = Arc::make_mut(&mut span.resource);
            for (key, value) in words.pairs() {
                resource.attributes.retain(|(known, _)| *known != key);
                resource.attributes.push((key, value));
            }
        }
        "@scope" => {
            words.word();
            let (name, version) = (text(&words.value()), text(&words.value()));
            span.scope = Arc::new(SpanScope { name, version, attributes: words.pairs(), ..SpanScope::default() });
        }
        "@event" => {
            words.word();
            let at = span.start + words.time();
            let name = AttributeKey::Owned(text(&words.value()));
            span.events.push(SpanEvent { at, name, attributes: words.pairs(), dropped_attributes: 0 });
        }
        "@link" => {
            words.word();
            let (letter, label) = words.word().split_once('/').unwrap();
            span.links.push(SpanLink {
                trace: trace_id(letter),
                span: span_id(label),
                trace_state: String::new(),
                attributes: words.pairs(),
                dropped_attributes: 0,
                flags: 0,
            });
        }
        _ => span.attributes.extend(words.pairs()),
    }
}

fn text(value: &SpanValue) -> String {
    value.as_text().unwrap_or_else(|| panic!("{value:?} is no text")).to_owned()
}

/// Remainder of a line.
struct LineReader<'a>(&'a str);

impl<'a> LineReader<'a> {
    fn peek(&self) -> &'a str {
        self.0.split_whitespace().next().unwrap_or_default()
    }

    fn word(&mut self) -> &'a str {
        let word = self.peek();
        self.skip(word.len());
        word
    }

    fn skip(&mut self, bytes: usize) {
        self.0 = self.0[bytes..].trim_start();
    }

    fn time(&mut self) -> u64 {
        let word = self.word();
        let unit = word.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let number: u64 = word[..word.len() - unit.len()].parse().unwrap();
        number * if unit == "ms" { 1_000_000 } else { 1_000_000_000 }
    }

    fn pairs(&mut self) -> Attributes {
        let mut pairs = Attributes::new();
        while !self.0.is_empty() {
            let (key, rest) = self.0.split_once('=').unwrap();
            let key = AttributeKey::Owned(key.trim().to_owned());
            self.0 = rest.trim_start();
            pairs.push((key, self.value()));
        }
        pairs
    }

    fn value(&mut self) -> SpanValue {
        let first = self.0.chars().next().unwrap();
        if first == '"' {
            let end = self.0[1..].find('"').unwrap();
            let text = self.0[1..=end].to_owned();
            self.skip(end + 2);
            return SpanValue::from(text);
        }
        if first == '[' {
            return SpanValue::List(self.until(']', Self::value));
        }
        if first == '{' {
            return SpanValue::Map(self.until('}', |words| {
                let key = AttributeKey::Owned(text(&words.value()));
                words.skip(1);
                (key, words.value())
            }));
        }
        let word = self.0.split([' ', ',', ']', '}']).next().unwrap();
        self.skip(word.len());
        match word {
            "true" => SpanValue::Bool(true),
            "false" => SpanValue::Bool(false),
            "null" => SpanValue::Empty,
            _ => word.parse().map(SpanValue::Int).unwrap_or_else(|_| SpanValue::Float(word.parse().unwrap())),
        }
    }

    fn until<T>(&mut self, end: char, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        self.skip(1);
        let mut items = Vec::new();
        while !self.0.starts_with(end) {
            items.push(item(self));
            self.0 = self.0.strip_prefix(',').unwrap_or(self.0).trim_start();
        }
        self.skip(1);
        items
    }
}
