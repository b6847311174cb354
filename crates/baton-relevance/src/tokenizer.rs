//! Tokenizer: normalized terms of a text.

use crate::{stem::stem, stop_words::is_stop_word};

/// Maximum length of a term, in bytes; longer ones are ignored.
const MAX_TERM_LEN: usize = 48;

/// Terms in text order: lower case, stemmed, without stop words.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        for part in scripts(run) {
            match part.chars().next().is_some_and(is_unspaced) {
                true => found.extend(bigrams(part)),
                false => found.extend(word(part)),
            }
        }
    }
    found
}

/// Terms of a name: `getWeather` and `get_weather` have the terms of `get weather`, in addition to the name itself.
pub(crate) fn words_of_name(name: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(name.len() + 8);
    let mut after_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && after_lower {
            spaced.push(' ');
        }
        after_lower = c.is_lowercase() || c.is_numeric();
        spaced.push(c);
    }
    let mut found = words(&spaced);
    if spaced.len() > name.len() {
        found.extend(words(name));
    }
    found
}

fn word(run: &str) -> Option<String> {
    let lower = run.to_lowercase();
    let is_letter = lower.len() == 1 && lower.as_bytes()[0].is_ascii_alphabetic();
    let is_term = !lower.is_empty() && !is_letter && lower.len() <= MAX_TERM_LEN && !is_stop_word(&lower);
    is_term.then(|| stem(lower))
}

/// Splits a run into parts with and without spaces between words.
fn scripts(run: &str) -> impl Iterator<Item = &str> {
    let mut rest = run;
    std::iter::from_fn(move || {
        let first = is_unspaced(rest.chars().next()?);
        let end = rest.find(|c| is_unspaced(c) != first).unwrap_or(rest.len());
        let (part, more) = rest.split_at(end);
        rest = more;
        Some(part)
    })
}

/// Chinese and Japanese are written without spaces.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Bigrams, for scripts without word boundaries.
fn bigrams(run: &str) -> Vec<String> {
    let chars: Vec<char> = run.chars().collect();
    match chars.as_slice() {
        [only] => vec![only.to_string()],
        several => several.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_a_word_have_one_token() {
        for (text, expect) in [
            ("What's the customer's REFUND policy?", "custom refund polici"),
            ("Refunds for customers, as policies say", "refund custom polici say"),
            ("translating translations", "translat translat"),
            ("3.14 and main.rs", "3 14 main rs"),
            ("déjà-vu", "déjà vu"),
            ("東京の天気", "東京 京の の天 天気"),
            ("iOS17を更新", "ios17 を更 更新"),
            ("it is what it is, isn't it", ""),
        ] {
            assert_eq!(words(text).join(" "), expect, "{text}");
        }
        assert_eq!(words_of_name("getWeather_now2"), ["weather", "now2", "getweath", "now2"]);
        assert_eq!(words_of_name("git-commit"), ["git", "commit"]);
    }
}
