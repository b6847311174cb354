//! One connection, whatever is spoken over it: a request, its whole response, and the check that it is right.

use crate::{
    grpc, http1, mcp,
    options::Options,
    protocol::{Binding, Spoken},
    responses,
};
use std::time::Duration;

/// A server that takes longer than this has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Every reply is searched for its marks; one in this many is also parsed and looked at field by field.
pub const PARSE_EVERY: u64 = 64;

/// A checked reply.
pub struct Outcome {
    /// Events of the stream; one for a plain reply.
    pub events: u64,
    /// From the written request to the first event of a stream, where that is looked at.
    pub first_event: Option<Duration>,
    /// Whether the connection can carry another request.
    pub reusable: bool,
}

/// An open connection.
pub enum Connection {
    /// HTTP/1.1 with keep-alive.
    Http1(Box<http1::Connection>),
    /// HTTP/2, one call at a time.
    Grpc(Box<grpc::Connection>),
    /// HTTP/1.1 with keep-alive, and for older versions a session.
    Mcp(Box<mcp::Connection>),
    /// HTTP/1.1 with keep-alive.
    Responses(Box<responses::Connection>),
}

impl Connection {
    /// Connects, without delay of small packets.
    pub async fn open(options: &Options) -> Result<Self, String> {
        Ok(match options.spoken {
            Spoken::A2a(protocol) => match protocol.binding {
                Binding::JsonRpc | Binding::HttpJson => {
                    Self::Http1(Box::new(http1::Connection::open(options, protocol).await?))
                }
                Binding::Grpc => Self::Grpc(Box::new(grpc::Connection::open(options, protocol).await?)),
            },
            Spoken::Mcp(era) => Self::Mcp(Box::new(mcp::Connection::open(options, era).await?)),
            Spoken::Responses => Self::Responses(Box::new(responses::Connection::open(options).await?)),
        })
    }

    /// Sends request `number` and reads its response to the end.
    pub async fn exchange(&mut self, number: u64) -> Result<Outcome, String> {
        let exchanged = async {
            match self {
                Self::Http1(connection) => connection.exchange(number).await,
                Self::Grpc(connection) => connection.exchange(number).await,
                Self::Mcp(connection) => connection.exchange(number).await,
                Self::Responses(connection) => connection.exchange(number).await,
            }
        };
        in_time(exchanged).await
    }

    /// Says farewell, where a server would otherwise remember the connection.
    pub async fn close(self) -> Result<(), String> {
        match self {
            Self::Http1(_) | Self::Grpc(_) | Self::Responses(_) => Ok(()),
            Self::Mcp(connection) => in_time(connection.close()).await,
        }
    }
}

async fn in_time<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    match tokio::time::timeout(PATIENCE, work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(format!("no complete answer within {} s", PATIENCE.as_secs())),
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
