//! Leave to hand work to an agent that another agent elsewhere names.

use crate::{failure::Failure, form::line, screen::Screen};
use baton_types::ErrorCode;
use std::collections::BTreeMap;

/// How many agents a person is asked about in one run; later ones are refused.
const MAX_REQUESTS: usize = 8;

/// What was decided in this run, by address.
#[derive(Debug, Default)]
pub(super) struct HandoffLeave {
    decided: BTreeMap<String, bool>,
}

impl HandoffLeave {
    /// What was decided about this agent before; a refusal stands, and nobody is asked twice.
    pub(super) fn given(&self, to: &str) -> Option<bool> {
        let is_full = self.decided.len() > MAX_REQUESTS;
        self.decided.get(to).copied().or(is_full.then_some(false))
    }

    /// Whether a person may be asked about one more.
    pub(super) fn may_ask(&self) -> bool {
        self.decided.len() < MAX_REQUESTS
    }

    pub(super) fn keep(&mut self, to: &str, given: bool) {
        self.decided.insert(to.to_owned(), given);
    }
}

/// A handoff that nothing allowed.
pub(super) struct LeaveRequest<'a> {
    /// The agent whose tool asks for it.
    pub(super) from: &'a str,
    /// The agent that would get the work.
    pub(super) to: &'a str,
    /// Whether that agent would be shown a credential.
    pub(super) has_credential: bool,
}

impl LeaveRequest<'_> {
    /// Asks the person at the terminal; everything but a yes is a no.
    pub(super) async fn ask(&self, screen: Screen) -> bool {
        let credential = if self.has_credential { ", with your credential for it" } else { "" };
        let question = format!("{} wants you to hand work to {}{credential}. Allow it? [y/N] ", self.from, self.to);
        let answer = line(screen, &question).await.unwrap_or_default();
        matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes")
    }

    /// Says that it was refused, and how to allow it.
    pub(super) fn refuse(&self, screen: Screen) -> bool {
        let credential = if self.has_credential { " with your credential for it" } else { "" };
        let message = format!("{} wanted work to be handed to {}{credential}; it was refused", self.from, self.to);
        let hint = format!("If you trust it with that, run the command again with --allow-peer {}", self.to);
        Failure::new(ErrorCode::PEER_NOT_ALLOWED, message).hint(hint).report(&screen);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_stands_and_their_number_is_bounded() {
        let mut leave = HandoffLeave::default();
        assert_eq!(leave.given("http://a"), None);
        leave.keep("http://a", true);
        leave.keep("http://b", false);
        assert_eq!((leave.given("http://a"), leave.given("http://b")), (Some(true), Some(false)));
        for number in 0..MAX_REQUESTS {
            leave.keep(&format!("http://{number}"), false);
        }
        assert!(!leave.may_ask());
        assert_eq!(leave.given("http://another"), Some(false), "it is refused without a word");
    }
}
