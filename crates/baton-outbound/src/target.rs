//! Parsed and validated request URL.

use crate::{AddressPolicy, AddressRefusal, OutboundError, host::normal_name, redirect};
use http::{Uri, uri::Scheme};
use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
};

/// Maximum length of a URL.
const MAX_URL: usize = 8 * 1024;

/// A validated URL: http or https, with a host, without user information, with a valid port.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    uri: Uri,
    host: Host,
    origin: UrlOrigin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Name(String),
    Address(IpAddr),
}

impl UrlOrigin {
    /// Whether the port is that of the scheme.
    pub(crate) fn has_default_port(&self) -> bool {
        self.port == if self.secure { 443 } else { 80 }
    }
}

/// Scheme, host and port. Secrets are only sent within one origin.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UrlOrigin {
    secure: bool,
    host: Arc<str>,
    port: u16,
}

impl Target {
    /// Parses a URL.
    pub fn parse(url: &str) -> Result<Self, OutboundError> {
        if url.len() > MAX_URL {
            return Err(OutboundError::Url("is longer than 8 KB"));
        }
        url.parse().map_err(|_| OutboundError::Url("is malformed")).and_then(Self::from_uri)
    }

    /// Validates a parsed URL.
    pub fn from_uri(uri: Uri) -> Result<Self, OutboundError> {
        let wrong = |reason| Err(OutboundError::Url(reason));
        let default = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTP => 80,
            Some(scheme) if *scheme == Scheme::HTTPS => 443,
            _ => return wrong("must begin with http:// or https://"),
        };
        let Some(authority) = uri.authority() else { return wrong("has no host") };
        if authority.as_str().contains('@') {
            return wrong("must not contain a user name or password");
        }
        let text = authority.host();
        let host = match text.strip_prefix('[') {
            Some(inner) => inner.strip_suffix(']').and_then(|inner| inner.parse::<Ipv6Addr>().ok()).map(IpAddr::from),
            None => text.parse().ok(),
        };
        let host = match host.map(Host::Address).or_else(|| normal_name(text).map(Host::Name)) {
            Some(host) => host,
            None => return wrong("has a host that is neither a name nor an address"),
        };
        let port = match authority.as_str().strip_prefix(text) {
            Some("") => default,
            Some(rest) => match rest.strip_prefix(':').and_then(|port| port.parse().ok()) {
                Some(port) if port > 0 => port,
                _ => return wrong("has an invalid port"),
            },
            None => return wrong("is malformed"),
        };
        let secure = uri.scheme() == Some(&Scheme::HTTPS);
        let origin = UrlOrigin { secure, host: host.to_string().into(), port };
        Ok(Self { uri, host, origin })
    }

    /// The URL.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Resolves a relative reference against this URL.
    pub fn join(&self, reference: &str) -> Result<Self, OutboundError> {
        Self::parse(&redirect::resolve_location(self, reference))
    }

    /// Origin of the URL.
    pub fn origin(&self) -> UrlOrigin {
        self.origin.clone()
    }

    /// Whether the scheme is https.
    pub fn is_secure(&self) -> bool {
        self.origin.secure
    }

    /// The name in lower case, or the address without brackets.
    pub fn host(&self) -> String {
        self.origin.host.to_string()
    }

    /// The port, or the default port of the scheme.
    pub fn port(&self) -> u16 {
        self.origin.port
    }

    /// The name to resolve; `None` for a literal address.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.host {
            Host::Name(name) => Some(name),
            Host::Address(_) => None,
        }
    }

    /// Refuses a literal address that the policy forbids; names are checked after resolution.
    pub(crate) fn check(&self, policy: &AddressPolicy) -> Result<(), AddressRefusal> {
        match self.host {
            Host::Name(_) => Ok(()),
            Host::Address(address) => policy.check(address).map_err(|range| AddressRefusal::Address { address, range }),
        }
    }
}

/// Shows scheme, host and port only: paths and queries of webhooks are often secret.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_secure() { "https" } else { "http" };
        match &self.host {
            Host::Address(IpAddr::V6(address)) => write!(f, "{scheme}://[{address}]:{}", self.origin.port),
            host => write!(f, "{scheme}://{host}:{}", self.origin.port),
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({self})")
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(address) => address.fmt(f),
        }
    }
}
