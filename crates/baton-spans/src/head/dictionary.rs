//! String interner: each text once, identified by a number.

use super::heap::{map_bytes, vec_bytes};
use foldhash::quality::RandomState;
use std::{
    collections::HashMap,
    hash::{BuildHasher, BuildHasherDefault, Hasher},
};

/// Texts in order of arrival; all in one buffer, because there may be very many short ones.
pub(crate) struct TextDictionary {
    texts: String,
    ends: Vec<u32>,
    /// The last text with that hash.
    by_hash: HashMap<u64, u32, BuildHasherDefault<IdentityHasher>>,
    /// For each text the previous one with the same hash; itself if there is none.
    previous: Vec<u32>,
}

/// Identity hasher for keys that are hashes.
#[derive(Default)]
pub(crate) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl TextDictionary {
    /// An empty dictionary.
    pub(crate) fn new() -> Self {
        Self { texts: String::new(), ends: Vec::new(), by_hash: HashMap::default(), previous: Vec::new() }
    }

    /// Number of texts.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text with that number.
    pub(crate) fn text(&self, number: u32) -> &str {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        &self.texts[start..self.ends[number] as usize]
    }

    /// The number of a text, if it is present.
    pub(crate) fn number(&self, text: &str, state: &RandomState) -> Option<u32> {
        self.with_hash(text.as_bytes(), state.hash_one(text.as_bytes()))
    }

    fn with_hash(&self, text: &[u8], hash: u64) -> Option<u32> {
        let mut number = *self.by_hash.get(&hash)?;
        loop {
            if self.text(number).as_bytes() == text {
                return Some(number);
            }
            let before = self.previous[number as usize];
            if before == number {
                return None;
            }
            number = before;
        }
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.capacity() + vec_bytes(&self.ends) + map_bytes(&self.by_hash) + vec_bytes(&self.previous)
    }

    /// The number of a text, added if necessary; `None` if the buffer is full, or the bytes are not text.
    pub(crate) fn intern(&mut self, text: &[u8], state: &RandomState) -> Option<u32> {
        let hash = state.hash_one(text);
        if let Some(number) = self.with_hash(text, hash) {
            return Some(number);
        }
        let number = u32::try_from(self.ends.len()).ok()?;
        let end = u32::try_from(self.texts.len() + text.len()).ok()?;
        self.texts.push_str(std::str::from_utf8(text).ok()?);
        self.ends.push(end);
        let before = self.by_hash.insert(hash, number).unwrap_or(number);
        self.previous.push(before);
        Some(number)
    }
}
