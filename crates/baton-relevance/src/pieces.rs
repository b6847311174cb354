//! Splits texts into pieces.

/// Maximum length of a piece, in bytes.
const MAX_PIECE_BYTES: usize = 500;

/// Maximum bytes of a question that are used; the rest is likely a pasted file.
const MAX_QUESTION_BYTES: usize = 16 * 1024;

/// Maximum sentences of a question that are used.
const MAX_SENTENCES: usize = 64;

/// The pieces of an item: its name and description first, then its paragraphs. A long paragraph is split into several
/// pieces of whole sentences.
pub fn pieces(name: &str, description: &str, text: &str) -> Vec<String> {
    let mut pieces = vec![if description.is_empty() { name.to_owned() } else { format!("{name}: {description}") }];
    let mut paragraph = String::new();
    for line in text.lines() {
        if line.trim().is_empty() {
            push_paragraph(&mut paragraph, &mut pieces);
            continue;
        }
        if !paragraph.is_empty() {
            paragraph.push('\n');
        }
        paragraph.push_str(line);
    }
    push_paragraph(&mut paragraph, &mut pieces);
    pieces
}

fn push_paragraph(paragraph: &mut String, pieces: &mut Vec<String>) {
    let text = std::mem::take(paragraph);
    if text.len() <= MAX_PIECE_BYTES {
        pieces.extend((!text.is_empty()).then_some(text));
        return;
    }
    let mut packed = String::new();
    for sentence in split(&text) {
        for part in cut(sentence) {
            if !packed.is_empty() && packed.len() + part.len() >= MAX_PIECE_BYTES {
                pieces.push(std::mem::take(&mut packed));
            }
            if !packed.is_empty() {
                packed.push(' ');
            }
            packed.push_str(part);
        }
    }
    pieces.extend((!packed.is_empty()).then_some(packed));
}

/// The sentences of a question, each truncated to the length of a piece.
pub fn sentences(question: &str) -> Vec<String> {
    let head = &question[..question.floor_char_boundary(MAX_QUESTION_BYTES)];
    let sentences = split(head).filter_map(|sentence| cut(sentence).next());
    sentences.take(MAX_SENTENCES).map(str::to_owned).collect()
}

/// Sentences and lines, trimmed.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let sentences = std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = end_of_sentence(rest);
        let (sentence, more) = rest.split_at(end);
        rest = more;
        Some(sentence.trim())
    });
    sentences.filter(|sentence| !sentence.is_empty())
}

/// A sentence ends at a line end, or after a punctuation mark that is followed by white space, so that `3.14` and
/// `main.rs` are not split.
fn end_of_sentence(text: &str) -> usize {
    let mut after_mark = false;
    for (at, c) in text.char_indices() {
        if c == '\n' || after_mark && c.is_whitespace() {
            return at + c.len_utf8();
        }
        if matches!(c, '。' | '！' | '？') {
            return at + c.len_utf8();
        }
        after_mark = matches!(c, '.' | '!' | '?') || after_mark && matches!(c, '"' | '\'' | ')');
    }
    text.len()
}

/// Parts of at most the length of a piece, split at white space if possible.
fn cut(sentence: &str) -> impl Iterator<Item = &str> {
    let mut rest = sentence;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let limit = rest.floor_char_boundary(MAX_PIECE_BYTES);
        let at = match rest[..limit].rfind(char::is_whitespace) {
            Some(space) if limit < rest.len() && space > 0 => space,
            _ => limit,
        };
        let (part, more) = rest.split_at(at);
        rest = more.trim_start();
        Some(part)
    })
}
