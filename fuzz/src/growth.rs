//! Inputs that repeat a piece: time must grow with length, not with its square.

use crate::{answers, contextcore, effort::spent, grammar, old_requests, requests};
use std::time::Duration;

/// How long the shorter input is, and how many times longer the other.
const LENGTH: usize = 8 * 1024;
const TIMES: usize = 16;
/// Times that say nothing: the clock, the cache and the allocator are louder.
const NOISE: Duration = Duration::from_millis(3);

type Reader = fn(usize, &str);

const READERS: [(Reader, &[&str]); 4] = [
    (requests::read, requests::SHAPES),
    (old_requests::read, old_requests::SHAPES),
    (contextcore::read, contextcore::SHAPES),
    (answers::read, answers::SHAPES),
];

/// Where the piece is repeated.
const FRAMES: [(&str, &str, &str); 10] = [
    ("{\"message\":{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[", ",", "{\"kind\":\"text\",\"text\":\"x\"}]}}"),
    (
        "{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"content\":[{\"text\":\"x\"}],\"metadata\":{",
        ",",
        "\"z\":1}}}",
    ),
    (
        "{\"message\":{\"messageId\":\"m\",\"parts\":[{\"text\":\"x\"}],\"metadata\":{\"contextcore\":{",
        ",",
        "\"z\":1}}}}",
    ),
    ("{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{\"data\":[", ",", "1],\"metadata\":{}}]}}"),
    ("{", ",", "\"z\":1}"),
    ("[", ",", "1]"),
    ("{\"taskId\":\"t\",\"status\":\"WORKING\",\"messages\":[", ",", "{}],\"artifacts\":[]}"),
    ("{\"id\":\"t\",\"status\":{\"state\":\"working\"},\"history\":[", ",", "{}],\"artifacts\":[]}"),
    (
        "{\"name\":\"c\",\"supportedInterfaces\":[{\"protocolVersion\":\"0.3\"}],\"securitySchemes\":{",
        ",",
        "\"z\":{}}}",
    ),
    ("", "", ""),
];

/// Reads an input: reader, type, frame, number the pieces or not, plan of the piece.
pub(crate) fn read(input: &[u8]) -> bool {
    let [reader, choice, frame, numbered, plan @ ..] = input else { return false };
    let (read, shapes) = READERS[usize::from(*reader) % READERS.len()];
    let choice = usize::from(*choice) % shapes.len();
    let (before, between, after) = FRAMES[usize::from(*frame) % FRAMES.len()];
    let piece = match numbered {
        0..128 => grammar::write(plan, if before.ends_with("parts\":[") { "part" } else { "any" }),
        _ => String::from_utf8_lossy(plan).into_owned(),
    };
    if piece.len() > LENGTH / 16 {
        return false;
    }
    let members = before.ends_with('{');
    let text = |length: usize| {
        let mut text = before.to_owned();
        let mut count = 0_usize;
        while text.len() < length {
            // Members need names, and equal ones would be one member to some readers.
            match (members, numbered % 2 == 0) {
                (true, true) => text.push_str(&format!("\"n{count}\":{piece}{between}")),
                (true, false) => text.push_str(&format!("\"a\":{piece}{between}")),
                (false, _) => text.push_str(&format!("{piece}{between}")),
            }
            count += 1;
            if piece.is_empty() && before.is_empty() {
                break;
            }
        }
        text + after
    };
    let (short, long) = (text(LENGTH), text(LENGTH * TIMES));
    let excess = || {
        let (short, long) = (spent(|| read(choice, &short)), spent(|| read(choice, &long)));
        (long > short.max(NOISE / 16) * (TIMES as u32 * 3) + NOISE).then_some((short, long))
    };
    // A hiccup is over when it is looked for again.
    if let Some(seen) = (0..4).map(|_| excess()).collect::<Option<Vec<_>>>() {
        panic!("{} and {} bytes took {seen:?}: {}...", short.len(), long.len(), &short[..short.len().min(300)]);
    }
    true
}
