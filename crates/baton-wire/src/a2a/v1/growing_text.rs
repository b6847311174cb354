//! Unfinished text that is sent in full each time it has grown enough.

use baton_types::MessageId;

/// Text is sent again when it has grown by this fraction of the length last sent, so that the total stays a small
/// multiple of the text.
const GROWTH_DIVISOR: usize = 16;

/// Unfinished text of a message.
#[derive(Clone, Debug, Default)]
pub(super) struct GrowingText {
    message: Option<MessageId>,
    text: String,
    shown: usize,
}

impl GrowingText {
    /// Replaces the text. Returns whether it is due to be sent.
    pub(super) fn replace(&mut self, message: &MessageId, text: &str) -> bool {
        self.message = Some(message.clone());
        text.clone_into(&mut self.text);
        self.shown = text.len();
        !text.is_empty()
    }

    /// Appends text after `offset` bytes. Returns whether the text is due to be sent.
    pub(super) fn extend(&mut self, message: &MessageId, offset: usize, more: &str) -> bool {
        if self.message.as_ref() != Some(message) || offset == 0 {
            *self = Self { message: Some(message.clone()), ..Self::default() };
        }
        // Text with a gap is not sent; the complete text follows with its event.
        if offset != self.text.len() {
            return false;
        }
        self.text.push_str(more);
        let grown = self.text.len() - self.shown;
        let is_due = grown > 0 && grown >= self.shown / GROWTH_DIVISOR;
        if is_due {
            self.shown = self.text.len();
        }
        is_due
    }

    /// The text so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_cost_a_small_multiple_of_the_text() {
        let (mut growing, message) = (GrowingText::default(), MessageId::from("m"));
        let (mut shown, mut count, length) = (0, 0, 100_000);
        for offset in (0..length).step_by(4) {
            if growing.extend(&message, offset, "text") {
                (shown, count) = (shown + growing.text().len(), count + 1);
            }
        }
        assert!(shown < 18 * length, "{shown} bytes shown of {length}");
        assert!(count > 100, "{count} showings");
    }

    #[test]
    fn text_after_a_gap_is_not_shown() {
        let (mut growing, message) = (GrowingText::default(), MessageId::from("m"));
        assert!(growing.extend(&message, 0, "Sun"));
        assert!(!growing.extend(&message, 5, "y"));
        assert!(growing.replace(&message, "Sunny"));
        assert!(growing.extend(&message, 5, "."));
        assert_eq!(growing.text(), "Sunny.");
    }
}
