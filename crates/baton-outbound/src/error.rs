//! Why a call to the outside did not work.

use crate::Range;
use rustls::{AlertDescription, CertificateError, InvalidMessage, OtherError};
use std::{net::IpAddr, time::Duration};

/// Why a request was not sent, or not answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutboundError {
    /// Not a URL that can be called.
    #[error("the URL {0}")]
    Url(&'static str),
    /// The policy forbids it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The name leads nowhere, at least now.
    #[error("the name {name} cannot be resolved: {reason}")]
    Unresolved {
        /// The name.
        name: String,
        /// What the resolver said.
        reason: String,
    },
    /// No connection was made.
    #[error("cannot connect to {target}: {reason}")]
    Unreachable {
        /// Whom.
        target: String,
        /// Why not.
        reason: String,
    },
    /// A connection took too long to make: name, TCP and TLS together.
    #[error("no connection within {} ms", .0.as_millis())]
    ConnectTimeout(Duration),
    /// No answer in time.
    #[error("{target} did not answer within {} ms", .limit.as_millis())]
    Timeout {
        /// Who.
        target: String,
        /// The time for the whole request, redirects included.
        limit: Duration,
    },
    /// The connection broke before there was an answer.
    #[error("the connection to {target} broke: {reason}")]
    Interrupted {
        /// To whom.
        target: String,
        /// How.
        reason: String,
    },
    /// A body of which nothing more came.
    #[error("{target} sent nothing more within {} ms", .limit.as_millis())]
    Silent {
        /// Who.
        target: String,
        /// The longest silence, or the time for the whole body.
        limit: Duration,
    },
    /// A body that is longer than its reader takes.
    #[error("{target} answered with more than {most} bytes")]
    TooLarge {
        /// Who.
        target: String,
        /// Bytes that would have been read.
        most: usize,
    },
    /// A redirect that is not followed.
    #[error("{target} answered {status}, a redirect that {reason}")]
    Redirect {
        /// Who.
        target: String,
        /// The status.
        status: u16,
        /// Why it is not followed.
        reason: String,
    },
}

/// A host that may not be called.
///
/// The text names no address that the caller did not write: where internal names lead is nobody's business.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// An address in the URL itself.
    #[error("{address} may not be called: it is {range}")]
    Address {
        /// The address.
        address: IpAddr,
        /// What it is.
        range: Range,
    },
    /// A name without any address that may be called.
    #[error("{name} may not be called: it leads to {range}")]
    Name {
        /// The name as the URL has it.
        name: String,
        /// What its first address is.
        range: Range,
    },
}

/// Why a client cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A root certificate cannot be used.
    #[error("a root certificate cannot be used: {0}")]
    Root(String),
    /// The certificate or the key that shows who we are cannot be used.
    #[error("the client certificate cannot be used: {0}")]
    Identity(String),
    /// Something that may be called as well is not written as it should be.
    #[error("an address to allow cannot be used: {0}")]
    Allow(String),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

impl OutboundError {
    /// Whether trying again is pointless: the policy or the URL itself forbids it.
    pub fn is_forbidden(&self) -> bool {
        matches!(self, Self::Url(_) | Self::Refused(_))
    }

    /// Whether nothing of the request left this machine, or only as far as a redirect: it had no effect.
    ///
    /// Otherwise it may have been received and carried out, even if no answer came.
    pub fn is_before_send(&self) -> bool {
        matches!(
            self,
            Self::Url(_)
                | Self::Refused(_)
                | Self::Unresolved { .. }
                | Self::Unreachable { .. }
                | Self::ConnectTimeout(_)
        )
    }

    /// What went wrong inside of the HTTP client; our own errors come back out of it as they went in.
    pub(crate) fn of_request(error: &hyper_util::client::legacy::Error, target: String) -> Self {
        let outer: &(dyn std::error::Error + 'static) = error;
        let chain = std::iter::successors(Some(outer), |error| error.source());
        if let Some(own) = chain.clone().find_map(|error| error.downcast_ref::<Self>()) {
            return own.clone();
        }
        let reason = chain.clone().find_map(of_tls).or_else(|| chain.clone().last().map(ToString::to_string));
        let reason = reason.unwrap_or_default();
        if error.is_connect() || chain.clone().any(turned_away) {
            Self::Unreachable { target, reason }
        } else {
            Self::Interrupted { target, reason }
        }
    }
}

/// The error of TLS that one of input and output carries, which may be wrapped in another: their sources skip it.
fn tls_in<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    let inner = error.downcast_ref::<std::io::Error>()?.get_ref()?;
    inner.downcast_ref::<rustls::Error>().or_else(|| tls_in(inner))
}

/// What is wrong with a server's TLS, for people.
fn of_tls(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let said = match tls_in(error)? {
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => "no TLS is spoken there; is it http://?",
        rustls::Error::InvalidCertificate(cause) => match cause {
            CertificateError::UnknownIssuer => "its certificate is of an authority that this system does not know",
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => "its certificate has expired",
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "its certificate is for another name"
            }
            CertificateError::Other(OtherError(other)) if other.to_string() == "CaUsedAsEndEntity" => {
                "its certificate is that of an authority, which no server may show; make one with CA:FALSE"
            }
            _ => return None,
        },
        _ => return None,
    };
    Some(said.to_owned())
}

/// Whether the server's TLS would not have us. It says so only after the client thinks that the connection stands, and
/// has read no request by then.
fn turned_away(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(
        tls_in(error),
        Some(rustls::Error::AlertReceived(
            AlertDescription::CertificateRequired
                | AlertDescription::NoCertificate
                | AlertDescription::BadCertificate
                | AlertDescription::UnsupportedCertificate
                | AlertDescription::CertificateRevoked
                | AlertDescription::CertificateExpired
                | AlertDescription::CertificateUnknown
                | AlertDescription::UnknownCA
                | AlertDescription::HandshakeFailure
                | AlertDescription::DecryptError
                | AlertDescription::AccessDenied
        ))
    )
}
