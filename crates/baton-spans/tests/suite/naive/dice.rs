//! Choices derived from bytes: once they run out, every choice is the first and simplest one, so fewer bytes make
//! smaller cases.

pub(crate) struct Dice<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Dice<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.iter() }
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or(0)) % n
    }

    /// True once in `n` times; false when there are no bytes left.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of the given choices.
    pub(crate) fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}
