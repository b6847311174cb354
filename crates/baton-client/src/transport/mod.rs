//! Transports to a Baton.

mod memory;
mod tcp;
mod tls;

pub(crate) use tls::ServerTrust;

use crate::ClientError;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{Full, combinators::UnsyncBoxBody};
use std::{error::Error, fmt, pin::Pin, sync::Arc};

/// Response body of any transport.
pub(crate) type ReplyBody = UnsyncBoxBody<Bytes, Box<dyn Error + Send + Sync>>;

type ResponseFuture = Pin<Box<dyn Future<Output = Response<ReplyBody>> + Send>>;

/// Transport to one Baton.
#[derive(Clone)]
pub(crate) enum Transport {
    /// Over the network.
    Tcp(Arc<tcp::Tcp>),
    /// A service in this process.
    Memory(Arc<dyn Fn(Request<Full<Bytes>>) -> ResponseFuture + Send + Sync>),
}

impl Transport {
    /// Sends a request whose URI is a path; returns when the response head has arrived.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<ReplyBody>, ClientError> {
        match self {
            Self::Tcp(tcp) => tcp.send(request).await,
            Self::Memory(service) => Ok(memory::send(service.as_ref(), request).await),
        }
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(tcp) => write!(f, "Tcp({})", tcp.authority()),
            Self::Memory(_) => f.write_str("Memory"),
        }
    }
}
