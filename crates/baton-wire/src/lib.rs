//! Wire types of every dialect and their mapping to and from the nouns.
