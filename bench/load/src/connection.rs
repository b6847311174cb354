//! One connection, whatever is spoken over it: a request, its whole response, and the check that it is right.

use crate::{grpc, http1, options::Options, protocol::Binding};
use std::time::Duration;

/// A server that takes longer than this has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Every reply is searched for its marks; one in this many is also parsed and looked at field by field.
pub const PARSE_EVERY: u64 = 64;

/// A checked reply.
pub struct Outcome {
    /// Events of the stream; one for a plain reply.
    pub events: u64,
    /// Whether the connection can carry another request.
    pub reusable: bool,
}

/// An open connection.
pub enum Connection {
    /// HTTP/1.1 with keep-alive.
    Http1(Box<http1::Connection>),
    /// HTTP/2, one call at a time.
    Grpc(Box<grpc::Connection>),
}

impl Connection {
    /// Connects, without delay of small packets.
    pub async fn open(options: &Options) -> Result<Self, String> {
        Ok(match options.protocol.binding {
            Binding::JsonRpc | Binding::HttpJson => Self::Http1(Box::new(http1::Connection::open(options).await?)),
            Binding::Grpc => Self::Grpc(Box::new(grpc::Connection::open(options).await?)),
        })
    }

    /// Sends request `number` and reads its response to the end.
    pub async fn exchange(&mut self, number: u64) -> Result<Outcome, String> {
        let exchanged = async {
            match self {
                Self::Http1(connection) => connection.exchange(number).await,
                Self::Grpc(connection) => connection.exchange(number).await,
            }
        };
        match tokio::time::timeout(PATIENCE, exchanged).await {
            Ok(outcome) => outcome,
            Err(_) => Err(format!("no complete answer within {} s", PATIENCE.as_secs())),
        }
    }
}

/// Begins a TCP connection.
pub async fn connect(options: &Options) -> Result<tokio::net::TcpStream, String> {
    let connect = async {
        let stream = tokio::net::TcpStream::connect(options.address).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    };
    connect.await.map_err(|error: std::io::Error| error.to_string())
}
