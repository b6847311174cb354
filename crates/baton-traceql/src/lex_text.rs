//! Lexing of string literals.

use std::str::Chars;

use crate::lex::TokenKind;

/// Reads the string literal at the start of the text; returns the token and its length including both quotes.
pub(crate) fn text(source: &str) -> (Result<TokenKind, String>, usize) {
    let mut chars = source.chars();
    let Some(quote) = chars.next() else { return (Err("expected text".to_owned()), 0) };
    let mut text = String::new();
    loop {
        let length = source.len() - chars.as_str().len();
        match chars.next() {
            Some(next) if next == quote => return (Ok(TokenKind::Text(text)), length + next.len_utf8()),
            Some('\\') if quote != '`' => match escape(&mut chars) {
                Some(escaped) => text.push(escaped),
                None => {
                    let end = source.len() - chars.as_str().len();
                    let written = source.get(length..end).unwrap_or_default();
                    return (Err(format!("`{written}` is not a valid escape sequence")), end);
                }
            },
            Some('\n') if quote != '`' => return (Err("string not closed on its line".to_owned()), length),
            Some(next) => text.push(next),
            None => return (Err("unterminated string".to_owned()), source.len()),
        }
    }
}

/// The character of an escape sequence, after the backslash.
fn escape(chars: &mut Chars) -> Option<char> {
    match chars.next()? {
        'a' => Some('\u{7}'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'v' => Some('\u{b}'),
        same @ ('\\' | '"' | '\'') => Some(same),
        // A single byte above ASCII is not a character.
        'x' => code(chars, 2).filter(char::is_ascii),
        'u' => code(chars, 4),
        'U' => code(chars, 8),
        _ => None,
    }
}

fn code(chars: &mut Chars, digits: usize) -> Option<char> {
    let mut value = 0_u32;
    for _ in 0..digits {
        value = value.checked_mul(16)? + chars.next()?.to_digit(16)?;
    }
    char::from_u32(value)
}
