//! Why no card was found, or none that can be used.

use baton_types::ErrorCode;

/// Why an agent was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscoverError {
    /// What was given is no URL.
    Url(String),
    /// Nobody answers there.
    Unreachable(String),
    /// The policy forbids the address, or the credential for it cannot be had.
    Forbidden(String),
    /// Somebody answers, and nowhere with a card.
    NoCard {
        /// Where it was looked for, and why that is no card.
        tries: Vec<(String, String)>,
    },
    /// The card leads only to places that it may not lead to.
    Elsewhere {
        /// Where the card is.
        url: String,
        /// Why each of its interfaces may not be used.
        reasons: Vec<String>,
    },
}

impl DiscoverError {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Url(_) | Self::NoCard { .. } => ErrorCode::PEER_CARD_INVALID,
            Self::Unreachable(_) => ErrorCode::PEER_UNREACHABLE,
            Self::Forbidden(_) | Self::Elsewhere { .. } => ErrorCode::PEER_UNTRUSTED,
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
            Self::Elsewhere { url, reasons } => {
                write!(f, "the card at {url} leads nowhere that it may lead to")?;
                for reason in reasons {
                    write!(f, "; {reason}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for DiscoverError {}
