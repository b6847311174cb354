//! Errors of discovery.

use crate::error_codes;
use baton_types::ErrorCode;

/// Reason why an agent was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscoverError {
    /// The input is not a URL.
    Url(String),
    /// The host does not respond.
    Unreachable(String),
    /// The policy forbids the address, or its credential is not available.
    Forbidden(String),
    /// The host responds, but has no card.
    NoCard {
        /// The URLs tried, each with the reason why it has no card.
        tries: Vec<(String, String)>,
    },
    /// No interface of the card is on an allowed host.
    NoAllowedInterface {
        /// URL of the card.
        url: String,
        /// Reasons for the rejection of each interface.
        reasons: Vec<String>,
    },
}

impl DiscoverError {
    /// Stable error code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Url(_) | Self::NoCard { .. } => error_codes::PEER_CARD_INVALID,
            Self::Unreachable(_) => ErrorCode::PEER_UNREACHABLE,
            Self::Forbidden(_) | Self::NoAllowedInterface { .. } => error_codes::PEER_UNTRUSTED,
        }
    }
}

impl std::fmt::Display for DiscoverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Url(reason) | Self::Unreachable(reason) | Self::Forbidden(reason) => f.write_str(reason),
            Self::NoCard { tries } => {
                f.write_str("there is no agent card")?;
                for (url, reason) in tries {
                    write!(f, "; {url}: {reason}")?;
                }
                Ok(())
            }
            Self::NoAllowedInterface { url, reasons } => {
                write!(f, "the card at {url} has no interface that may be used")?;
                for reason in reasons {
                    write!(f, "; {reason}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for DiscoverError {}
