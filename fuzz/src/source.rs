//! Conversion of the fuzzer's bytes into the text to parse.

use crate::grammar;
use std::borrow::Cow;

/// Set in the first byte if the rest is a plan for the generator.
const PLAN_FLAG: u8 = 0x80;

/// A decoded input.
pub(crate) struct FuzzInput<'a> {
    /// Index of the target's type that reads it.
    pub(crate) choice: usize,
    /// The text.
    pub(crate) text: Cow<'a, str>,
}

impl<'a> FuzzInput<'a> {
    /// Decodes the input for a target whose types have these shapes; `None` if it is not text.
    pub(crate) fn read(input: &'a [u8], shapes: &[&'static str]) -> Option<Self> {
        let (first, rest) = input.split_first()?;
        let choice = usize::from(first & !PLAN_FLAG) % shapes.len();
        let text = if first & PLAN_FLAG == 0 {
            Cow::Borrowed(str::from_utf8(rest).ok()?)
        } else {
            Cow::Owned(grammar::write(rest, shapes[choice]))
        };
        Some(Self { choice, text })
    }

    /// Length of the text in bytes.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }
}
