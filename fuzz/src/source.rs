//! From the fuzzer's bytes to the text that is read.

use crate::grammar;
use std::borrow::Cow;

/// Set in the first byte when the rest is a plan for the generator.
const PLANNED: u8 = 0x80;

/// One input, taken apart.
pub(crate) struct Source<'a> {
    /// Which of the target's types reads it.
    pub(crate) choice: usize,
    /// The text.
    pub(crate) text: Cow<'a, str>,
}

impl<'a> Source<'a> {
    /// The input for a target whose types have these shapes; `None` when it is not text.
    pub(crate) fn read(input: &'a [u8], shapes: &[&'static str]) -> Option<Self> {
        let (first, rest) = input.split_first()?;
        let choice = usize::from(first & !PLANNED) % shapes.len();
        let text = if first & PLANNED == 0 {
            Cow::Borrowed(str::from_utf8(rest).ok()?)
        } else {
            Cow::Owned(grammar::write(rest, shapes[choice]))
        };
        Some(Self { choice, text })
    }

    /// Bytes of text.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }
}
