//! English stop words.

/// Sorted, for binary search.
const STOP_WORDS: [&str; 175] = [
    "a", "about", "above", "after", "again", "ain", "all", "also", "always", "am", "an", "and", "any", "are", "aren",
    "as", "ask", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can",
    "could", "couldn", "did", "didn", "do", "does", "doesn", "doing", "don", "down", "during", "each", "else", "ever",
    "every", "few", "for", "from", "further", "get", "getting", "give", "go", "got", "had", "has", "hasn", "have",
    "haven", "having", "he", "hello", "help", "her", "here", "hers", "hey", "hi", "him", "his", "how", "i", "if", "in",
    "into", "is", "isn", "it", "its", "just", "know", "let", "like", "ll", "made", "make", "many", "may", "me",
    "might", "more", "most", "much", "must", "my", "need", "never", "no", "nor", "not", "of", "off", "ok", "okay",
    "on", "once", "only", "or", "other", "ought", "our", "out", "over", "own", "please", "put", "re", "same", "shall",
    "she", "should", "shouldn", "show", "so", "some", "such", "tell", "than", "thank", "thanks", "that", "the",
    "their", "them", "then", "there", "these", "they", "thing", "this", "those", "through", "to", "too", "under",
    "until", "up", "us", "use", "used", "using", "ve", "very", "want", "was", "wasn", "we", "were", "weren", "what",
    "when", "where", "which", "while", "who", "whom", "why", "will", "with", "won", "would", "wouldn", "yes", "you",
    "your", "yours",
];

/// Whether a lower-case word is a stop word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("yours") && is_stop_word("a") && !is_stop_word("refund"));
    }
}
