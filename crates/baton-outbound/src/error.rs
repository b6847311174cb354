//! Errors of outbound requests.

use crate::{AddressRange, Target};
use rustls::{AlertDescription, CertificateError, InvalidMessage, OtherError};
use std::{net::IpAddr, time::Duration};

/// Reason why a request was not sent or got no reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutboundError {
    /// The URL cannot be called.
    #[error("the URL {0}")]
    Url(&'static str),
    /// Forbidden by the policy.
    #[error(transparent)]
    Refused(#[from] AddressRefusal),
    /// The name cannot be resolved at the moment.
    #[error("the name {name} cannot be resolved: {reason}")]
    Unresolved {
        /// Host name.
        name: String,
        /// Error of the resolver.
        reason: String,
    },
    /// The connection failed.
    #[error("cannot connect to {target}: {reason}")]
    Unreachable {
        /// Scheme, host and port.
        target: String,
        /// Cause.
        reason: String,
    },
    /// Timeout of the connection: name lookup, TCP and TLS together.
    #[error("no connection within {} ms", .0.as_millis())]
    ConnectTimeout(Duration),
    /// No reply in time.
    #[error("{target} did not answer within {} ms", .limit.as_millis())]
    Timeout {
        /// Scheme, host and port.
        target: String,
        /// Timeout of the whole request, redirects included.
        limit: Duration,
    },
    /// The connection was lost before the reply.
    #[error("the connection to {target} broke: {reason}")]
    Interrupted {
        /// Scheme, host and port.
        target: String,
        /// Cause.
        reason: String,
    },
    /// The rest of a body did not arrive in time.
    #[error("{target} sent no more data within {} ms", .limit.as_millis())]
    BodyTimeout {
        /// Scheme, host and port.
        target: String,
        /// The idle timeout, or the timeout of the whole body.
        limit: Duration,
    },
    /// The body exceeds its size limit.
    #[error("{target} answered with more than {limit} bytes")]
    TooLarge {
        /// Scheme, host and port.
        target: String,
        /// Size limit in bytes.
        limit: usize,
    },
    /// A redirect that is not followed.
    #[error("{target} answered {status}, a redirect that {reason}")]
    Redirect {
        /// Scheme, host and port.
        target: String,
        /// HTTP status.
        status: u16,
        /// Reason why it is not followed.
        reason: String,
    },
}

/// A host that may not be called.
///
/// The text contains no address that the caller did not supply: the addresses of internal names are not disclosed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressRefusal {
    /// A literal address in the URL.
    #[error("{address} may not be called: it is {range}")]
    Address {
        /// The address.
        address: IpAddr,
        /// Its range.
        range: AddressRange,
    },
    /// A name without any allowed address.
    #[error("{name} may not be called: it resolves to {range}")]
    Name {
        /// The name as written in the URL.
        name: String,
        /// Range of its first address.
        range: AddressRange,
    },
}

/// Reason why a client cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A root certificate cannot be used.
    #[error("a root certificate cannot be used: {0}")]
    Root(String),
    /// The client certificate or its key cannot be used.
    #[error("the client certificate cannot be used: {0}")]
    Identity(String),
    /// An additional allowed entry is malformed.
    #[error("an allowed address is invalid: {0}")]
    Allow(String),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

impl OutboundError {
    /// Whether a retry is pointless: the policy or the URL forbids the request.
    pub fn is_forbidden(&self) -> bool {
        matches!(self, Self::Url(_) | Self::Refused(_))
    }

    /// Whether the request had no effect: it was not sent, or only as far as a redirect.
    ///
    /// Otherwise it may have been received and processed, even without a reply.
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

    /// Converts an error of the HTTP client; errors of this crate are extracted from it unchanged.
    pub(crate) fn from_request_error(
        outer: &(dyn std::error::Error + 'static),
        is_connect: bool,
        target: String,
    ) -> Self {
        let chain = std::iter::successors(Some(outer), |error| error.source());
        if let Some(own) = chain.clone().find_map(|error| error.downcast_ref::<Self>()) {
            return own.clone();
        }
        let reason =
            chain.clone().find_map(describe_tls_error).or_else(|| chain.clone().last().map(ToString::to_string));
        let reason = reason.unwrap_or_default();
        if is_connect || chain.clone().any(is_tls_rejection) {
            Self::Unreachable { target, reason }
        } else {
            Self::Interrupted { target, reason }
        }
    }
}

/// Failure of a request before the head of its response.
pub(crate) enum RequestFailure {
    /// No connection.
    Connect(Box<dyn std::error::Error + Send + Sync>),
    /// The connection failed.
    Exchange(hyper::Error),
}

impl RequestFailure {
    pub(crate) fn into_outbound(self, target: &Target) -> OutboundError {
        match self {
            Self::Connect(error) => OutboundError::from_request_error(&*error, true, target.to_string()),
            Self::Exchange(error) => OutboundError::from_request_error(&error, false, target.to_string()),
        }
    }
}

/// The TLS error inside an I/O error, which may be nested in another I/O error: `source()` skips it.
fn find_tls_error<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    let inner = error.downcast_ref::<std::io::Error>()?.get_ref()?;
    inner.downcast_ref::<rustls::Error>().or_else(|| find_tls_error(inner))
}

/// Description of a TLS problem for people.
fn describe_tls_error(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let description = match find_tls_error(error)? {
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "the server does not speak TLS; did you mean http://?"
        }
        rustls::Error::InvalidCertificate(cause) => match cause {
            CertificateError::UnknownIssuer => "its certificate is from an authority not trusted by this system",
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => "its certificate has expired",
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "its certificate is for another name"
            }
            CertificateError::Other(OtherError(other)) if other.to_string() == "CaUsedAsEndEntity" => {
                "its certificate is a CA certificate, which a server must not use; create one with CA:FALSE"
            }
            _ => return None,
        },
        _ => return None,
    };
    Some(description.to_owned())
}

/// Whether the server rejected the TLS handshake. The alert arrives after the client has finished its
/// handshake, but before the server reads a request.
fn is_tls_rejection(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(
        find_tls_error(error),
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
