//! Porter stemmer for English: `policies` and `policy`, `paying` and `pay` have the same stem.

/// The stem of a lower-case word; words with other than ASCII letters are returned unchanged.
pub(crate) fn stem(word: String) -> String {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let mut stem = Stem(word);
    stem.plural();
    stem.past_and_present();
    stem.y_to_i();
    stem.first_of(&DOUBLE_SUFFIXES, 0);
    stem.first_of(&DERIVATIONAL_SUFFIXES, 0);
    stem.last_suffix();
    stem.last_e();
    stem.0
}

const DOUBLE_SUFFIXES: [(&str, &str); 21] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];

const DERIVATIONAL_SUFFIXES: [(&str, &str); 7] =
    [("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];

const FINAL_SUFFIXES: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
];

struct Stem(String);

impl Stem {
    fn ends(&self, suffix: &str) -> bool {
        self.0.ends_with(suffix)
    }

    /// The word without this suffix.
    fn before(&self, suffix: &str) -> &str {
        &self.0[..self.0.len() - suffix.len()]
    }

    fn replace(&mut self, suffix: &str, by: &str) {
        self.0.truncate(self.0.len() - suffix.len());
        self.0.push_str(by);
    }

    fn plural(&mut self) {
        if self.ends("sses") {
            self.replace("sses", "ss");
        } else if self.ends("ies") {
            self.replace("ies", "i");
        } else if self.ends("s") && !self.ends("ss") {
            self.replace("s", "");
        }
    }

    fn past_and_present(&mut self) {
        if self.ends("eed") {
            if measure(self.before("eed")) > 0 {
                self.replace("eed", "ee");
            }
            return;
        }
        let Some(suffix) = ["ed", "ing"].into_iter().find(|suffix| self.ends(suffix) && has_vowel(self.before(suffix)))
        else {
            return;
        };
        self.replace(suffix, "");
        if self.ends("at") || self.ends("bl") || self.ends("iz") {
            self.0.push('e');
        } else if ends_double(&self.0) && !self.ends("l") && !self.ends("s") && !self.ends("z") {
            self.0.pop();
        } else if measure(&self.0) == 1 && ends_cvc(&self.0) {
            self.0.push('e');
        }
    }

    fn y_to_i(&mut self) {
        if self.ends("y") && has_vowel(self.before("y")) {
            self.replace("y", "i");
        }
    }

    /// Replaces the first matching suffix of the table, if the remaining stem is long enough.
    fn first_of(&mut self, table: &[(&str, &str)], more_than: usize) {
        if let Some((suffix, by)) = table.iter().find(|(suffix, _)| self.ends(suffix))
            && measure(self.before(suffix)) > more_than
        {
            self.replace(suffix, by);
        }
    }

    fn last_suffix(&mut self) {
        let Some(suffix) = FINAL_SUFFIXES.into_iter().find(|suffix| self.ends(suffix)) else { return };
        let left = self.before(suffix);
        let fits = suffix != "ion" || left.ends_with('s') || left.ends_with('t');
        if fits && measure(left) > 1 {
            self.replace(suffix, "");
        }
    }

    fn last_e(&mut self) {
        if self.ends("e") {
            let left = self.before("e");
            let count = measure(left);
            if count > 1 || count == 1 && !ends_cvc(left) {
                self.replace("e", "");
            }
        }
        if self.ends("ll") && measure(&self.0) > 1 {
            self.0.pop();
        }
    }
}

/// Whether this letter is a vowel; `y` after a consonant is one.
fn is_vowel(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => true,
        b'y' => at > 0 && !is_vowel(word, at - 1),
        _ => false,
    }
}

fn has_vowel(word: &str) -> bool {
    (0..word.len()).any(|at| is_vowel(word.as_bytes(), at))
}

/// Porter's measure: number of vowel-consonant sequences, about the number of syllables.
fn measure(word: &str) -> usize {
    let bytes = word.as_bytes();
    (1..bytes.len()).filter(|at| is_vowel(bytes, at - 1) && !is_vowel(bytes, *at)).count()
}

fn ends_double(word: &str) -> bool {
    let bytes = word.as_bytes();
    let count = bytes.len();
    count >= 2 && bytes[count - 1] == bytes[count - 2] && !is_vowel(bytes, count - 1)
}

/// Ends with consonant, vowel, consonant, as in `hop`; the last must not be `w`, `x` or `y`.
fn ends_cvc(word: &str) -> bool {
    let bytes = word.as_bytes();
    let count = bytes.len();
    count >= 3
        && !is_vowel(bytes, count - 3)
        && is_vowel(bytes, count - 2)
        && !is_vowel(bytes, count - 1)
        && !matches!(bytes[count - 1], b'w' | b'x' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_removed() {
        for (word, expect) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("conditional", "condit"),
            ("vietnamization", "vietnam"),
            ("operator", "oper"),
            ("hopefulness", "hope"),
            ("triplicate", "triplic"),
            ("electrical", "electr"),
            ("allowance", "allow"),
            ("replacement", "replac"),
            ("adjustment", "adjust"),
            ("adoption", "adopt"),
            ("effective", "effect"),
            ("probate", "probat"),
            ("rate", "rate"),
            ("controlling", "control"),
            ("is", "is"),
            ("größe", "größe"),
        ] {
            assert_eq!(stem(word.to_owned()), expect, "{word}");
        }
    }
}
