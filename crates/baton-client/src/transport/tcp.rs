//! HTTP/1.1 over TCP, with or without TLS, and a pool of idle connections.

use super::{
    ReplyBody, Transport,
    tls::{ServerTls, ServerTrust},
};
use crate::ClientError;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, Uri, header};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    body::{Body, Frame, Incoming, SizeHint},
    client::conn::http1::{self, SendRequest},
};
use hyper_util::rt::TokioIo;
use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum idle connections in the pool.
const MAX_IDLE_CONNECTIONS: usize = 16;

/// One address and its idle connections.
pub(crate) struct Tcp {
    authority: String,
    secured: Option<ServerTls>,
    host: HeaderValue,
    /// Base path of the Baton, without a trailing slash.
    prefix: String,
    idle: Mutex<Vec<SendRequest<Full<Bytes>>>>,
}

impl Transport {
    pub(crate) fn tcp(url: &str, trust: ServerTrust) -> Result<Self, ClientError> {
        let refuse = |reason: &str| ClientError::Address { address: url.to_owned(), reason: reason.to_owned() };
        let uri: Uri = url.parse().map_err(|_| refuse("not a URL"))?;
        let authority = uri.authority().ok_or_else(|| refuse("it has no host"))?;
        let host = authority.host();
        let (usual_port, secured) = match (uri.scheme_str(), &trust) {
            (Some("http"), ServerTrust::System) => (80, None),
            (Some("http"), ServerTrust::Pinned(_)) => return Err(refuse("a certificate needs https://")),
            (Some("https"), _) => (443, Some(ServerTls::new(host, trust).map_err(|reason| refuse(&reason))?)),
            _ => return Err(refuse("it must begin with http:// or https://")),
        };
        let port = match authority.port_u16() {
            _ if authority.as_str().contains('@') => {
                return Err(refuse("it contains a user name; use a token instead"));
            }
            Some(port) => port,
            None if authority.as_str() == host => usual_port,
            None => return Err(refuse("its port is not a number up to 65535")),
        };
        let header = HeaderValue::from_str(authority.as_str()).map_err(|_| refuse("its host is not valid"))?;
        Ok(Self::Tcp(Arc::new(Tcp {
            authority: format!("{host}:{port}"),
            secured,
            host: header,
            prefix: uri.path().trim_end_matches('/').to_owned(),
            idle: Mutex::new(Vec::new()),
        })))
    }
}

impl Tcp {
    pub(super) fn authority(&self) -> &str {
        &self.authority
    }

    pub(super) async fn send(
        self: &Arc<Self>,
        mut request: Request<Full<Bytes>>,
    ) -> Result<Response<ReplyBody>, ClientError> {
        request.headers_mut().insert(header::HOST, self.host.clone());
        if !self.prefix.is_empty() {
            let path = format!("{}{}", self.prefix, request.uri());
            *request.uri_mut() = path.parse().map_err(|_| self.bad_path(&path))?;
        }
        // The server may have closed an idle connection; a request that was not sent can be retried on another one.
        while let Some(mut idle) = self.take_idle().await {
            match idle.try_send_request(request).await {
                Ok(response) => return Ok(self.reply(response, idle)),
                Err(mut error) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(ClientError::Interrupted(error.into_error().to_string())),
                },
            }
        }
        let mut fresh = self.connect().await?;
        match fresh.send_request(request).await {
            Ok(response) => Ok(self.reply(response, fresh)),
            Err(error) => Err(ClientError::Interrupted(error.to_string())),
        }
    }

    fn bad_path(&self, path: &str) -> ClientError {
        ClientError::Address { address: format!("{}{path}", self.authority), reason: "not a path".to_owned() }
    }

    fn reply(self: &Arc<Self>, response: Response<Incoming>, sender: SendRequest<Full<Bytes>>) -> Response<ReplyBody> {
        response.map(|body| PooledBody { body, pool: Arc::clone(self), sender: Some(sender) }.boxed_unsync())
    }

    async fn take_idle(&self) -> Option<SendRequest<Full<Bytes>>> {
        loop {
            let mut sender = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            if sender.ready().await.is_ok() {
                return Some(sender);
            }
        }
    }

    fn return_idle(&self, sender: SendRequest<Full<Bytes>>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE_CONNECTIONS && !sender.is_closed() {
            idle.push(sender);
        }
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, ClientError> {
        let connecting = async {
            let stream = TcpStream::connect(self.authority.as_str()).await?;
            stream.set_nodelay(true)?;
            match &self.secured {
                Some(secured) => handshake(secured.secure(stream).await?).await,
                None => handshake(stream).await,
            }
        };
        let reason = match tokio::time::timeout(CONNECT_TIMEOUT, Box::pin(connecting)).await {
            Ok(Ok(sender)) => return Ok(sender),
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("no connection within {} s", CONNECT_TIMEOUT.as_secs()),
        };
        let scheme = if self.secured.is_some() { "https" } else { "http" };
        Err(ClientError::Unreachable { address: format!("{scheme}://{}", self.authority), reason })
    }
}

/// Performs the HTTP handshake.
async fn handshake(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> io::Result<SendRequest<Full<Bytes>>> {
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection ended early");
        }
    });
    Ok(sender)
}

/// A body that returns its connection to the pool when it is read to its end.
struct PooledBody {
    body: Incoming,
    pool: Arc<Tcp>,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Body for PooledBody {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.body).poll_frame(context);
        let ended = matches!(polled, Poll::Ready(None)) || this.body.is_end_stream();
        if let Some(sender) = this.sender.take_if(|_| ended) {
            this.pool.return_idle(sender);
        }
        polled.map_err(Into::into)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
