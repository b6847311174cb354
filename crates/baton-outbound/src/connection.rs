//! One HTTP/1 connection, driven by the task that uses it: a request wakes no other task.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::{
    body::Incoming,
    client::conn::{TrySendError, http1},
};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::rt::TokioIo;
use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};
use tokio::net::TcpStream;

/// Maximum size of a response head, and of the read buffer.
const MAX_BUFFER: usize = 64 * 1024;

/// Stream of a connection.
pub(crate) type ConnectionStream = MaybeHttpsStream<TokioIo<TcpStream>>;

/// A connection; dropping it closes it.
#[derive(Debug)]
pub(crate) struct HttpConnection {
    sender: http1::SendRequest<Full<Bytes>>,
    driver: http1::Connection<ConnectionStream, Full<Bytes>>,
}

impl HttpConnection {
    /// An HTTP/1 connection over a stream.
    pub(crate) async fn open(stream: ConnectionStream) -> hyper::Result<Self> {
        let (sender, driver) = http1::Builder::new().max_buf_size(MAX_BUFFER).handshake(stream).await?;
        Ok(Self { sender, driver })
    }

    /// Sends a request and waits for the head of its response. The error contains the request if nothing was sent.
    pub(crate) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, TrySendError<Request<Full<Bytes>>>> {
        let mut response = pin!(self.sender.try_send_request(request));
        let driver = &mut self.driver;
        let mut is_open = true;
        poll_fn(|context| {
            // A closed connection has passed its error to the response.
            is_open = is_open && Pin::new(&mut *driver).poll(context).is_pending();
            // The driver completes the response in this task, so it need not wake the task.
            let mut quiet = Context::from_waker(Waker::noop());
            response.as_mut().poll(if is_open { &mut quiet } else { context })
        })
        .await
    }

    /// Reads and writes as far as possible; ready when the connection is closed.
    pub(crate) fn poll_driver(&mut self, context: &mut Context<'_>) -> Poll<hyper::Result<()>> {
        Pin::new(&mut self.driver).poll(context)
    }

    /// Whether another request can be sent, as far as is known without waiting.
    pub(crate) fn is_reusable(&mut self) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        self.poll_driver(&mut context).is_pending() && self.sender.is_ready()
    }
}
