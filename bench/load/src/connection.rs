//! One connection of any protocol: a request, its complete response, and the check of the response.

use crate::{
    grpc::GrpcConnection,
    http1::Http1Connection,
    mcp::McpConnection,
    options::LoadOptions,
    protocol::{A2aBinding, LoadProtocol},
    responses::ResponsesConnection,
};
use std::time::Duration;

/// Response timeout.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Every reply is searched for its expected bytes; one in this number is also parsed and checked field by field.
pub const PARSE_INTERVAL: u64 = 64;

/// A checked reply.
pub struct ExchangeOutcome {
    /// Events of the stream; 1 for a plain reply.
    pub events: u64,
    /// Time from the written request to the first event of a stream, if measured.
    pub first_event: Option<Duration>,
    /// Whether the connection can carry another request.
    pub reusable: bool,
}

/// An open connection.
pub enum LoadConnection {
    /// HTTP/1.1 with keep-alive.
    Http1(Box<Http1Connection>),
    /// HTTP/2, one call at a time.
    Grpc(Box<GrpcConnection>),
    /// HTTP/1.1 with keep-alive, and a session for older versions.
    Mcp(Box<McpConnection>),
    /// HTTP/1.1 with keep-alive.
    Responses(Box<ResponsesConnection>),
}

impl LoadConnection {
    /// Connects with `TCP_NODELAY`.
    pub async fn open(options: &LoadOptions) -> Result<Self, String> {
        Ok(match options.protocol {
            LoadProtocol::A2a(protocol) => match protocol.binding {
                A2aBinding::JsonRpc | A2aBinding::HttpJson => {
                    Self::Http1(Box::new(Http1Connection::open(options, protocol).await?))
                }
                A2aBinding::Grpc => Self::Grpc(Box::new(GrpcConnection::open(options, protocol).await?)),
            },
            LoadProtocol::Mcp(version) => Self::Mcp(Box::new(McpConnection::open(options, version).await?)),
            LoadProtocol::Responses => Self::Responses(Box::new(ResponsesConnection::open(options).await?)),
        })
    }

    /// Sends request `number` and reads its response to the end.
    pub async fn exchange(&mut self, number: u64) -> Result<ExchangeOutcome, String> {
        let exchange = async {
            match self {
                Self::Http1(connection) => connection.exchange(number).await,
                Self::Grpc(connection) => connection.exchange(number).await,
                Self::Mcp(connection) => connection.exchange(number).await,
                Self::Responses(connection) => connection.exchange(number).await,
            }
        };
        with_timeout(exchange).await
    }

    /// Closes the connection; ends the MCP session, if there is one.
    pub async fn close(self) -> Result<(), String> {
        match self {
            Self::Http1(_) | Self::Grpc(_) | Self::Responses(_) => Ok(()),
            Self::Mcp(connection) => with_timeout(connection.close()).await,
        }
    }
}

async fn with_timeout<T>(future: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    match tokio::time::timeout(MAX_WAIT, future).await {
        Ok(outcome) => outcome,
        Err(_) => Err(format!("no complete response within {} s", MAX_WAIT.as_secs())),
    }
}

/// Opens a TCP connection.
pub async fn connect(options: &LoadOptions) -> Result<tokio::net::TcpStream, String> {
    let connect = async {
        let stream = tokio::net::TcpStream::connect(options.address).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    };
    connect.await.map_err(|error: std::io::Error| error.to_string())
}
