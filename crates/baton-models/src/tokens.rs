//! About how many tokens something is, without a vocabulary.
//!
//! A vocabulary of OpenAI's newest models takes a quarter of a second and 24 MB to load, and is nobody else's. Counting
//! by the kinds of letters is near enough for bounds, and what services report corrects it, model by model.

use baton_ports::{ChatFile, ChatFileContent, ChatMessage, Model, ModelCall};

/// What a message is worth beside its words.
const PER_MESSAGE: u64 = 4;
/// What a tool is worth beside its words and its schema.
const PER_TOOL: u64 = 8;
/// A picture of the largest size that services do not shrink, at the most expensive of them.
const PER_IMAGE: u64 = 1_600;
/// The least that a document is.
const PER_DOCUMENT: u64 = 1_500;
/// A file behind an address, whose size nobody knows.
const PER_ADDRESS: u64 = 3_000;

/// Which kind of text a letter belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Latin,
    Digit,
    Space,
    Break,
    /// Scripts that write a word in one or two letters.
    Dense,
    Other,
    Mark,
}

fn kind(letter: char) -> Kind {
    match letter {
        'a'..='z' | 'A'..='Z' => Kind::Latin,
        '0'..='9' => Kind::Digit,
        '\n' | '\r' => Kind::Break,
        letter if letter.is_whitespace() => Kind::Space,
        '\u{c0}'..='\u{24f}' => Kind::Latin,
        '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => {
            Kind::Dense
        }
        letter if letter.is_alphabetic() => Kind::Other,
        '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' => Kind::Other,
        _ => Kind::Mark,
    }
}

/// Tenths of a token, for a run of letters of one kind; `glued` is a run that touches digits or follows another word.
fn run(kind: Kind, length: u64, glued: bool) -> u64 {
    match kind {
        // Words of usual length are one token, longer ones break about every six letters; what is mixed with digits or
        // capitals is no word.
        Kind::Latin if glued => length * 10 / 2,
        Kind::Latin if length <= 8 => 10,
        Kind::Latin => length * 10 / 6,
        Kind::Digit => length.div_ceil(3) * 10,
        Kind::Space if length > 1 => 10,
        Kind::Space => 0,
        Kind::Break => 7,
        Kind::Dense => length * 8,
        Kind::Other => (length * 10).div_ceil(4).max(10),
        Kind::Mark => length.div_ceil(2) * 9,
    }
}

/// About how many tokens a text is, uncorrected.
pub fn estimate(text: &str) -> u64 {
    let mut tenths = 0_u64;
    let mut current: Option<(Kind, u64, bool)> = None;
    let (mut before, mut upper) = (Kind::Space, false);
    for letter in text.chars() {
        let next = kind(letter);
        // A capital after a small letter begins a word of its own, as in camelCase and in base64.
        let hump = next == Kind::Latin && letter.is_ascii_uppercase() && !upper;
        upper = letter.is_ascii_uppercase();
        match &mut current {
            Some((kind, length, _)) if *kind == next && !(hump && *length > 0) => *length += 1,
            _ => {
                if let Some((kind, length, glued)) = current {
                    tenths += run(kind, length, glued || (kind == Kind::Latin && next == Kind::Digit));
                    before = kind;
                }
                let glued = next == Kind::Latin && before == Kind::Digit;
                current = Some((next, 1, glued));
            }
        }
    }
    if let Some((kind, length, glued)) = current {
        tenths += run(kind, length, glued);
    }
    tenths.div_ceil(10)
}

/// About how many tokens of input a call is, as this model counts.
pub fn call_tokens(model: &dyn Model, call: &ModelCall) -> u64 {
    sum(call, &|text| model.tokens(text))
}

/// About how many tokens a message is, as this model counts.
pub fn message_tokens(model: &dyn Model, message: &ChatMessage) -> u64 {
    message_sum(message, &|text| model.tokens(text))
}

/// The same without a model's correction.
pub(crate) fn estimate_call(call: &ModelCall) -> u64 {
    sum(call, &estimate)
}

/// Whether something in it is not words.
pub(crate) fn has_files(call: &ModelCall) -> bool {
    call.messages.iter().any(|message| matches!(message, ChatMessage::User { files, .. } if !files.is_empty()))
}

fn sum(call: &ModelCall, count: &dyn Fn(&str) -> u64) -> u64 {
    let tools = call
        .tools
        .iter()
        .map(|tool| PER_TOOL + count(&tool.name) + count(&tool.description) + count(tool.parameters.as_str()));
    let messages = call.messages.iter().map(|message| message_sum(message, count));
    tools.chain(messages).fold(count(&call.system), u64::saturating_add)
}

fn message_sum(message: &ChatMessage, count: &dyn Fn(&str) -> u64) -> u64 {
    let words = match message {
        ChatMessage::User { text, files, .. } => count(text) + files.iter().map(file).sum::<u64>(),
        ChatMessage::Assistant { text, calls, reasoning } => {
            let calls = calls.iter().map(|call| PER_MESSAGE + count(&call.name) + count(call.arguments.as_str()));
            let thought = reasoning.as_ref().map_or(0, |reasoning| count(&reasoning.text));
            count(text) + calls.sum::<u64>() + thought
        }
        ChatMessage::Tool { output, .. } => count(output.as_str()),
    };
    words.saturating_add(PER_MESSAGE)
}

fn file(file: &ChatFile) -> u64 {
    let bytes = match &file.content {
        ChatFileContent::Bytes(base64) => base64.len() as u64 / 4 * 3,
        ChatFileContent::Url(_) if file.media_type.starts_with("image/") => return PER_IMAGE,
        ChatFileContent::Url(_) => return PER_ADDRESS,
    };
    match file.media_type.split('/').next() {
        Some("image") => PER_IMAGE,
        Some("text") => bytes.div_ceil(4),
        // About 32 tokens for a second of sound in a common compression.
        Some("audio" | "video") => (bytes / 500).max(32),
        _ => (bytes / 32).max(PER_DOCUMENT),
    }
}
