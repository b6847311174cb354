//! The bounds of a client.

use crate::{CertificateDer, ClientIdentity};
use std::time::Duration;

/// How long, how much and how many.
#[derive(Clone, Debug)]
pub struct Options {
    /// Time to get a connection: name, TCP and TLS together.
    pub connect_timeout: Duration,
    /// Time for the whole request, redirects and the reply's body included.
    pub request_timeout: Duration,
    /// Time for a reply's body once its head is there; what has come until then counts.
    pub body_timeout: Duration,
    /// Time until the head of a reply is there, redirects included, when its body is read as it comes.
    pub head_timeout: Duration,
    /// Silence after which a body that is read as it comes is given up.
    pub idle_body_timeout: Duration,
    /// Redirects that are followed, one after the other.
    pub max_redirects: usize,
    /// Whether redirects to another origin are refused, also when nothing secret would go there.
    pub same_origin: bool,
    /// Bytes of a reply's body that are read; the rest is dropped with its connection.
    pub max_reply: usize,
    /// Idle connections kept for each host.
    pub idle_per_host: usize,
    /// Hosts for which idle connections are kept; further ones get a new connection each time.
    pub idle_hosts: usize,
    /// Names that are looked up at the same time, also when nobody waits for the answer any more.
    pub lookups: usize,
    /// Idle connections are closed after this time.
    pub idle_timeout: Duration,
    /// Authorities to trust besides those of the system.
    pub extra_roots: Vec<CertificateDer<'static>>,
    /// Who we are towards servers that ask for a certificate.
    pub client_identity: Option<ClientIdentity>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            request_timeout: Duration::from_secs(20),
            body_timeout: Duration::from_secs(2),
            head_timeout: Duration::from_secs(60),
            idle_body_timeout: Duration::from_secs(60),
            max_redirects: 3,
            same_origin: false,
            max_reply: 64 * 1024,
            idle_per_host: 2,
            idle_hosts: 64,
            lookups: 64,
            idle_timeout: Duration::from_secs(30),
            extra_roots: Vec::new(),
            client_identity: None,
        }
    }
}
