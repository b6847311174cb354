//! Embeddings that other programs store in agent files: megabytes of numbers that are not used here.

use std::borrow::Cow;

const KEY: &str = "embeddings:";
/// Smaller files are read unchanged.
const MIN_FILTERED_BYTES: usize = 64 << 10;

/// The same YAML with the lines of numbers below the key `embeddings` made empty; line numbers do not change.
///
/// Such lines inside block scalars, as in `text: |`, are kept.
pub(crate) fn without_vectors(text: &str) -> Cow<'_, str> {
    if text.len() < MIN_FILTERED_BYTES || !text.contains(KEY) {
        return Cow::Borrowed(text);
    }
    let mut lean = String::with_capacity(text.len() / 4);
    // Lines beyond the column `block` belong to a block scalar; lines from the column `vectors` belong to embeddings.
    let mut block: Option<usize> = None;
    let mut vectors: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let indent = content.len() - content.trim_start_matches(' ').len();
        let rest = &content[indent..];
        let is_blank = rest.trim().is_empty();
        if block.is_some_and(|column| !is_blank && indent <= column) {
            block = None;
        }
        if block.is_some() {
            lean.push_str(line);
            continue;
        }
        if vectors.is_some_and(|column| indent >= column && is_numbers(rest)) {
            lean.push_str(&line[content.len()..]);
            continue;
        }
        vectors = None;
        let (key, entry) = entry(rest);
        let column = indent + key;
        match entry.strip_prefix(KEY) {
            Some(value) if value.trim().is_empty() || value.trim_start().starts_with('#') => {
                vectors = Some(column);
                lean.push_str(line);
            }
            Some(value) if value.trim_start().starts_with('[') && is_numbers(value) => {
                lean.push_str(&content[..column + KEY.len()]);
                lean.push_str(&line[content.len()..]);
                vectors = Some(column);
            }
            _ => {
                if opens_block(entry) {
                    block = Some(column);
                }
                lean.push_str(line);
            }
        }
    }
    Cow::Owned(lean)
}

/// Skips the dashes of list entries; returns their width and the rest of the line.
fn entry(line: &str) -> (usize, &str) {
    let mut rest = line;
    while let Some(behind) = rest.strip_prefix("- ") {
        rest = behind.trim_start_matches(' ');
    }
    (line.len() - rest.len(), rest)
}

/// Whether a line holds only numbers, brackets and commas, and optionally a comment.
fn is_numbers(text: &str) -> bool {
    let text = text.find('#').map_or(text, |at| &text[..at]);
    text.bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E' | b',' | b'[' | b']' | b' ' | b'\t'))
}

/// Whether a line ends with a block scalar header: `|` or `>`, optionally followed by a digit and a sign.
fn opens_block(entry: &str) -> bool {
    let entry = entry.find(" #").map_or(entry, |at| &entry[..at]).trim_end();
    let sign = entry.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
    sign.len() + 2 >= entry.len()
        && sign.strip_suffix(['|', '>']).is_some_and(|before| before.is_empty() || before.ends_with(' '))
}

/// The rest of a text after a leading bracketed list of numbers; `None` if the list contains anything else.
pub(crate) fn skip_number_list(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(at + 1..);
                }
            }
            b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E' | b',' | b' ' | b'\t' | b'\r' | b'\n' if depth > 0 => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_vectors_are_removed() {
        let filler = format!("# {}\n", "x".repeat(MIN_FILTERED_BYTES));
        for (yaml, expect) in [
            (
                "rules:\n  - name: a\n    embeddings: # delete when editing\n      - [0.1, -2e-3]\n      - [1]\n    text: b\n",
                "rules:\n  - name: a\n    embeddings: # delete when editing\n\n\n    text: b\n",
            ),
            (
                "rules:\n- embeddings:\n  - - 0.1\n    - 2\n  text: |\n    embeddings:\n      - 1\n  name: x\n",
                "rules:\n- embeddings:\n\n\n  text: |\n    embeddings:\n      - 1\n  name: x\n",
            ),
            ("a: {}\nembeddings: [[1, 2],\n  [3]]\nb: 1\n", "a: {}\nembeddings:\n\nb: 1\n"),
            (
                "embeddings: [[1, 2]]\r\nb: >-2\n   embeddings:\n   - 1\n",
                "embeddings:\r\nb: >-2\n   embeddings:\n   - 1\n",
            ),
            ("embeddings: { type: array }\n- 7\n", "embeddings: { type: array }\n- 7\n"),
            (
                "- text: |\n    embeddings:\n    - 1\n  embeddings:\n  - [1]\n- 2\n",
                "- text: |\n    embeddings:\n    - 1\n  embeddings:\n\n- 2\n",
            ),
        ] {
            assert_eq!(without_vectors(&format!("{filler}{yaml}")), format!("{filler}{expect}"), "{yaml}");
            assert_eq!(without_vectors(yaml), yaml, "a short text is unchanged");
        }
    }

    #[test]
    fn lists_of_numbers_are_skipped() {
        for (text, expect) in [
            ("[[1, -2.5e3],\n []], \"a\"", Some(", \"a\"")),
            ("[]x", Some("x")),
            ("[1, \"]\"]", None),
            ("1, 2", None),
            ("[1", None),
        ] {
            assert_eq!(skip_number_list(text), expect, "{text}");
        }
    }
}
