//! Stemming for English: `policies` and `policy`, `paying` and `pay` have the same stem.

use snowball_stemmers_rs::{Algorithm, Stemmer};
use std::borrow::Cow;

/// The stem of a lower-case word; words with other than ASCII letters are returned unchanged.
pub(crate) fn stem(word: String) -> String {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    match Stemmer::create(Algorithm::English).stem(&word) {
        Cow::Owned(stem) => stem,
        Cow::Borrowed(stem) if stem.len() == word.len() => word,
        Cow::Borrowed(stem) => stem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn suffixes_are_removed() {
        for (words, expect) in [
            (&["caress", "caresses"][..], "caress"),
            (&["pony", "ponies"], "poni"),
            (&["sky", "skies"], "sky"),
            (&["die", "dying"], "die"),
            (&["news"], "news"),
            (&["new"], "new"),
            (&["even"], "even"),
            (&["evening", "evenings"], "evening"),
            (&["agreed", "agree"], "agre"),
            (&["plastered"], "plaster"),
            (&["sing", "sings"], "sing"),
            (&["conflated"], "conflat"),
            (&["hopping"], "hop"),
            (&["falling"], "fall"),
            (&["file", "filing"], "file"),
            (&["happy"], "happi"),
            (&["pay", "pays", "paying"], "pay"),
            (&["policy", "policies"], "polici"),
            (&["relational"], "relat"),
            (&["conditional"], "condit"),
            (&["operator"], "oper"),
            (&["hopefulness"], "hope"),
            (&["electrical"], "electr"),
            (&["allowance"], "allow"),
            (&["replacement", "replaced"], "replac"),
            (&["adjustment", "adjusting"], "adjust"),
            (&["adoption"], "adopt"),
            (&["effective"], "effect"),
            (&["controlling", "controls"], "control"),
            (&["is"], "is"),
            (&["größe"], "größe"),
            (&["ios17"], "ios17"),
        ] {
            for word in words {
                assert_eq!(stem((*word).to_owned()), expect, "{word}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_word_has_a_stem_that_is_not_longer_by_more_than_a_letter(word in "[a-z]{0,48}") {
            let stem = stem(word.clone());
            prop_assert!(stem.is_empty() == word.is_empty() && stem.len() <= word.len() + 1, "{word} {stem}");
        }
    }
}
