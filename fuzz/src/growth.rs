//! Inputs with repeated pieces: time must grow linearly with length, not quadratically.

use crate::{answers, contextcore, effort::cpu_time, grammar, old_requests, requests};
use std::time::Duration;

/// Length of the shorter input, and the factor for the longer one.
const SHORT_INPUT_BYTES: usize = 8 * 1024;
const LENGTH_FACTOR: usize = 16;
/// Shorter times are dominated by noise of the clock, the cache and the allocator.
const NOISE_LIMIT: Duration = Duration::from_millis(3);

type TextReader = fn(usize, &str);

const READERS: [(TextReader, &[&str]); 4] = [
    (requests::read, requests::SHAPES),
    (old_requests::read, old_requests::SHAPES),
    (contextcore::read, contextcore::SHAPES),
    (answers::read, answers::SHAPES),
];

/// Text before, between and after the repeated pieces.
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

/// Reads an input: reader, type, frame, numbering flag, plan of the piece.
pub(crate) fn read(input: &[u8]) -> bool {
    let [reader, choice, frame, numbered, plan @ ..] = input else { return false };
    let (read, shapes) = READERS[usize::from(*reader) % READERS.len()];
    let choice = usize::from(*choice) % shapes.len();
    let (before, between, after) = FRAMES[usize::from(*frame) % FRAMES.len()];
    let piece = match numbered {
        0..128 => grammar::write(plan, if before.ends_with("parts\":[") { "part" } else { "any" }),
        _ => String::from_utf8_lossy(plan).into_owned(),
    };
    if piece.len() > SHORT_INPUT_BYTES / 16 {
        return false;
    }
    let members = before.ends_with('{');
    let text = |length: usize| {
        let mut text = before.to_owned();
        let mut count = 0_usize;
        while text.len() < length {
            // Members need names, and some readers merge members of the same name.
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
    let (short, long) = (text(SHORT_INPUT_BYTES), text(SHORT_INPUT_BYTES * LENGTH_FACTOR));
    let excess = || {
        let (short, long) = (cpu_time(|| read(choice, &short)), cpu_time(|| read(choice, &long)));
        (long > short.max(NOISE_LIMIT / 16) * (LENGTH_FACTOR as u32 * 3) + NOISE_LIMIT).then_some((short, long))
    };
    // A single outlier does not repeat.
    if let Some(seen) = (0..4).map(|_| excess()).collect::<Option<Vec<_>>>() {
        panic!("{} and {} bytes took {seen:?}: {}...", short.len(), long.len(), &short[..short.len().min(300)]);
    }
    true
}
