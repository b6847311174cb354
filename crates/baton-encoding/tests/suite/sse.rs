//! Server-sent events, complete and in chunks.

use baton_encoding::sse::{SseError, SseEvent, SseParser};
use proptest::prelude::*;
use std::time::Duration;

const FEED: &str = "\u{feff}: hello\n\nid: 7\ndata: {\"a\":1}\n\ndata:x\r\ndata: y\r\n\r\nid: 8\n\nevent: z\rdata\r\r\
                    retry: 2500\nretry: -1\ndata: é\n\n: ping\n\nid: a\0b\ndata:  two\n\ndata: cut off";

fn parse<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<(Vec<SseEvent>, Option<Duration>), SseError> {
    let (parsed, error) = parse_with_limit(1024, pieces);
    error.map_or(Ok((parsed.events, parsed.retry)), Err)
}

/// Everything that a parser returns.
#[derive(Debug, Default, PartialEq)]
struct Parsed {
    events: Vec<SseEvent>,
    retry: Option<Duration>,
    last_id: Option<String>,
}

/// Feeds the pieces up to the first error.
fn parse_with_limit<'a>(max_bytes: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Parsed, Option<SseError>) {
    let (mut parser, mut parsed) = (SseParser::new(max_bytes), Parsed::default());
    for piece in pieces {
        let fed = parser.feed(piece);
        parsed.events.extend(std::iter::from_fn(|| parser.next()));
        (parsed.retry, parsed.last_id) = (parser.retry(), parser.last_id().map(str::to_owned));
        if let Err(error) = fed {
            return (parsed, Some(error));
        }
    }
    (parsed, None)
}

/// Splits the bytes at these places.
fn split<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.push(bytes.len());
    cuts.sort_unstable();
    let mut start = 0;
    cuts.into_iter().map(|cut| &bytes[std::mem::replace(&mut start, cut)..cut]).collect()
}

fn event(id: Option<&str>, event: Option<&str>, data: &str) -> SseEvent {
    SseEvent { id: id.map(str::to_owned), event: event.map(str::to_owned), data: data.to_owned() }
}

#[test]
fn fields_and_line_ends_are_parsed() {
    let expect = vec![
        event(Some("7"), None, "{\"a\":1}"),
        event(None, None, "x\ny"),
        event(None, Some("z"), ""),
        event(None, None, "é"),
        event(None, None, " two"),
    ];
    assert_eq!(parse([FEED.as_bytes()]), Ok((expect, Some(Duration::from_millis(2500)))));
}

#[test]
fn chunk_boundaries_do_not_matter() {
    let bytes = FEED.as_bytes();
    let whole = parse([bytes]);
    for first in 0..=bytes.len() {
        assert_eq!(parse([&bytes[..first], &bytes[first..]]), whole, "cut at {first}");
    }
    assert_eq!(parse(bytes.chunks(1)), whole);
}

#[test]
fn oversized_or_non_text_input_is_rejected() {
    let line = vec![b'x'; 100];
    let mut parser = SseParser::new(1000);
    assert_eq!((0..11).find_map(|_| parser.feed(&line).err()), Some(SseError::TooLarge(1000)), "an endless line");
    let mut parser = SseParser::new(1000);
    let lines = b"data: 0123456789\n".repeat(100);
    assert_eq!(parser.feed(&lines), Err(SseError::TooLarge(1000)), "an endless event");
    let mut parser = SseParser::new(1000);
    assert_eq!(parser.feed(&b"data: 0123456789\n\n".repeat(100)), Ok(()), "many small ones");
    assert_eq!(SseParser::new(1000).feed(b"data: \xff\n"), Err(SseError::NotText));
}

#[test]
fn id_without_data_is_a_position_but_no_event() {
    for (feed, last_id) in [
        ("data: a\n\n", None),
        ("id: 1\ndata: a\n\nid: 2\n\ndata: b\n\n", Some("2")),
        ("id: 3", None),
        ("id: 4\n", None),
    ] {
        assert_eq!(parse_with_limit(64, [feed.as_bytes()]).0.last_id.as_deref(), last_id, "{feed:?}");
    }
}

/// Parts of valid and invalid streams.
const FRAGMENTS: &[&[u8]] = &[
    b"data: some text",
    b"data:",
    b"data",
    b"id: 7",
    b"id",
    b"event: e",
    b"retry: 5",
    b": comment",
    b"x",
    b" ",
    b"\0",
    b"\n",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\r\n\r\n",
    b"\xc3",
    b"\xa9",
    b"\xff",
    b"\xef\xbb\xbf",
];

/// A line without a line break.
fn line() -> impl Strategy<Value = String> {
    "[^\r\n\u{0}\u{feff}]{0,12}"
}

fn some_event() -> impl Strategy<Value = SseEvent> {
    let data = prop::collection::vec(line(), 1..4);
    (prop::option::of(line()), prop::option::of(line()), data).prop_map(|(id, event, lines)| SseEvent {
        id,
        event,
        data: lines.join("\n"),
    })
}

proptest! {
    #[test]
    fn written_events_round_trip(
        events in prop::collection::vec(some_event(), 0..6),
        end in prop::sample::select(vec!["\n", "\r", "\r\n"]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let mut written = String::new();
        for event in &events {
            let id = event.id.iter().map(|id| format!("id: {id}"));
            let name = event.event.iter().map(|name| format!("event: {name}"));
            for line in id.chain(name).chain(event.data.split('\n').map(|line| format!("data: {line}"))) {
                written = written + &line + end;
            }
            written += end;
        }
        prop_assert_eq!(parse(split(written.as_bytes(), &cuts)), Ok((events, None)));
    }

    #[test]
    fn any_bytes_are_parsed_or_rejected(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
        let _ = parse([bytes.as_slice()]);
    }

    #[test]
    fn any_chunks_give_the_same_bounded_events(
        fragments in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..40),
        max_bytes in 8..80_usize,
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let bytes = fragments.concat();
        let whole = parse_with_limit(max_bytes, [bytes.as_slice()]);
        for event in &whole.0.events {
            let fields = event.id.iter().chain(&event.event).chain([&event.data]).map(String::len);
            // Line breaks between data lines are not counted.
            prop_assert!(fields.sum::<usize>() <= max_bytes + event.data.matches('\n').count());
        }
        prop_assert_eq!(parse_with_limit(max_bytes, split(&bytes, &cuts)), whole);
    }
}
