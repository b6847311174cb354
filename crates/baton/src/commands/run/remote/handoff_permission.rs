//! Permission for a handoff that a remote agent requests.

use crate::{error_codes, failure::CliError, form::read_line, screen::Screen};
use std::collections::BTreeMap;

/// Maximum number of agents that the user is asked about in one run; further requests are denied.
const MAX_REQUESTS: usize = 8;

/// Decisions of this run, by address.
#[derive(Debug, Default)]
pub(super) struct HandoffDecisions {
    decided: BTreeMap<String, bool>,
}

impl HandoffDecisions {
    /// Earlier decision about this agent. Denials are final; the user is never asked twice.
    pub(super) fn decision(&self, to: &str) -> Option<bool> {
        let is_full = self.decided.len() > MAX_REQUESTS;
        self.decided.get(to).copied().or(is_full.then_some(false))
    }

    /// Whether the user may be asked about one more agent.
    pub(super) fn may_ask(&self) -> bool {
        self.decided.len() < MAX_REQUESTS
    }

    pub(super) fn record(&mut self, to: &str, allowed: bool) {
        self.decided.insert(to.to_owned(), allowed);
    }
}

/// A handoff that is not allowed by the options or the configuration.
pub(super) struct HandoffPermissionRequest<'a> {
    /// Agent that requests the handoff.
    pub(super) from: &'a str,
    /// Agent that would receive the work.
    pub(super) to: &'a str,
    /// Whether a credential would be sent to the receiver.
    pub(super) has_credential: bool,
}

impl HandoffPermissionRequest<'_> {
    /// Asks the user on the terminal; any answer except yes is a denial.
    pub(super) async fn ask(&self, screen: Screen) -> bool {
        let credential = if self.has_credential { ", with your credential for it" } else { "" };
        let question = format!("{} asks you to hand off work to {}{credential}. Allow it? [y/N] ", self.from, self.to);
        let answer = read_line(screen, &question).await.unwrap_or_default();
        matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes")
    }

    /// Reports the denial and the option that allows the handoff.
    pub(super) fn report_denial(&self, screen: Screen) -> bool {
        let credential = if self.has_credential { " with your credential for it" } else { "" };
        let message = format!("{} asked for a handoff to {}{credential}, which was denied", self.from, self.to);
        let hint = format!("To allow the handoff, run the command again with --allow-peer {}", self.to);
        CliError::new(error_codes::PEER_NOT_ALLOWED, message).hint(hint).report(&screen);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_kept_and_their_number_is_limited() {
        let mut leave = HandoffDecisions::default();
        assert_eq!(leave.decision("http://a"), None);
        leave.record("http://a", true);
        leave.record("http://b", false);
        assert_eq!((leave.decision("http://a"), leave.decision("http://b")), (Some(true), Some(false)));
        for number in 0..MAX_REQUESTS {
            leave.record(&format!("http://{number}"), false);
        }
        assert!(!leave.may_ask());
        assert_eq!(leave.decision("http://another"), Some(false), "it is rejected without a prompt");
    }
}
