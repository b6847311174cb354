//! Token estimate without a tokenizer vocabulary.
//!
//! The vocabulary of current OpenAI models takes a quarter of a second and 24 MB to load and fits no other provider.
//! Counting by character class is accurate enough for limits, and the counts that providers report correct the estimate
//! for each model.

use baton_ports::{ChatMessage, ModelCall};

/// Character class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Latin,
    Digit,
    Space,
    Break,
    /// Scripts that write a word in one or two characters.
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

/// Tenths of a token for a run of characters of one class; `glued` marks a run next to digits.
fn run(kind: Kind, length: u64, glued: bool) -> u64 {
    match kind {
        // Words of up to eight letters are one token, longer ones split about every six letters; runs mixed with digits
        // are not words.
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

/// Estimated token count of a text, without correction.
pub fn estimate(text: &str) -> u64 {
    let mut tenths = 0_u64;
    let mut current: Option<(Kind, u64, bool)> = None;
    let (mut before, mut upper) = (Kind::Space, false);
    for letter in text.chars() {
        let next = kind(letter);
        // An upper-case letter after a lower-case one starts a new word, as in camelCase and base64.
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

/// Whether the call contains files.
pub(crate) fn has_files(call: &ModelCall) -> bool {
    call.messages.iter().any(|message| matches!(message, ChatMessage::User { files, .. } if !files.is_empty()))
}
