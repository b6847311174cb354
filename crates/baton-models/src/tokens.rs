//! Token estimate without a tokenizer vocabulary.
//!
//! The vocabulary of current OpenAI models takes a quarter of a second and 24 MB to load and fits no other provider.
//! Counting by character class is accurate enough for limits, and the counts that providers report correct the estimate
//! for each model.

use baton_ports::{ChatMessage, ModelCall};

/// Character class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Latin,
    Digit,
    Space,
    Break,
    /// Scripts that write a word in one or two characters.
    Dense,
    Other,
    Mark,
}

fn char_class(letter: char) -> CharClass {
    match letter {
        'a'..='z' | 'A'..='Z' => CharClass::Latin,
        '0'..='9' => CharClass::Digit,
        '\n' | '\r' => CharClass::Break,
        letter if letter.is_whitespace() => CharClass::Space,
        '\u{c0}'..='\u{24f}' => CharClass::Latin,
        '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => {
            CharClass::Dense
        }
        letter if letter.is_alphabetic() => CharClass::Other,
        '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' => CharClass::Other,
        _ => CharClass::Mark,
    }
}

/// Tenths of a token for a run of characters of one class; `glued` marks a run next to digits.
fn run_tenths(kind: CharClass, length: u64, glued: bool) -> u64 {
    match kind {
        // Words of up to eight letters are one token, longer ones split about every six letters; runs mixed with digits
        // are not words.
        CharClass::Latin if glued => length * 10 / 2,
        CharClass::Latin if length <= 8 => 10,
        CharClass::Latin => length * 10 / 6,
        CharClass::Digit => length.div_ceil(3) * 10,
        CharClass::Space if length > 1 => 10,
        CharClass::Space => 0,
        CharClass::Break => 7,
        CharClass::Dense => length * 8,
        CharClass::Other => (length * 10).div_ceil(4).max(10),
        CharClass::Mark => length.div_ceil(2) * 9,
    }
}

/// Estimated token count of a text, without correction.
pub fn estimate_tokens(text: &str) -> u64 {
    let mut tenths = 0_u64;
    let mut current: Option<(CharClass, u64, bool)> = None;
    let (mut before, mut upper) = (CharClass::Space, false);
    for letter in text.chars() {
        let next = char_class(letter);
        // An upper-case letter after a lower-case one starts a new word, as in camelCase and base64.
        let hump = next == CharClass::Latin && letter.is_ascii_uppercase() && !upper;
        upper = letter.is_ascii_uppercase();
        match &mut current {
            Some((kind, length, _)) if *kind == next && !(hump && *length > 0) => *length += 1,
            _ => {
                if let Some((kind, length, glued)) = current {
                    tenths += run_tenths(kind, length, glued || (kind == CharClass::Latin && next == CharClass::Digit));
                    before = kind;
                }
                let glued = next == CharClass::Latin && before == CharClass::Digit;
                current = Some((next, 1, glued));
            }
        }
    }
    if let Some((kind, length, glued)) = current {
        tenths += run_tenths(kind, length, glued);
    }
    tenths.div_ceil(10)
}

/// Whether the call contains files.
pub(crate) fn has_files(call: &ModelCall) -> bool {
    call.messages.iter().any(|message| matches!(message, ChatMessage::User { files, .. } if !files.is_empty()))
}
