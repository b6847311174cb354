//! Body of a response on a pooled connection.

use crate::{UrlOrigin, connection::HttpConnection, pool::IdleConnections};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

/// A body that drives its connection while it is read, and returns it to the pool at its end. Dropped before its end, it
/// closes the connection.
#[derive(Debug)]
pub(crate) struct PooledBody {
    body: Incoming,
    connection: Option<Box<UsedConnection>>,
}

struct UsedConnection {
    connection: HttpConnection,
    idle: Arc<IdleConnections>,
    origin: UrlOrigin,
}

impl PooledBody {
    pub(crate) fn new(
        body: Incoming,
        connection: HttpConnection,
        idle: Arc<IdleConnections>,
        origin: UrlOrigin,
    ) -> Self {
        let mut this = Self { body, connection: Some(Box::new(UsedConnection { connection, idle, origin })) };
        if this.body.is_end_stream() {
            this.release();
        }
        this
    }

    fn release(&mut self) {
        if let Some(used) = self.connection.take() {
            let UsedConnection { connection, idle, origin } = *used;
            idle.put(origin, connection);
        }
    }

    /// The next frame, if the connection has already read it.
    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        match &frame {
            Poll::Ready(None) => self.release(),
            Poll::Ready(Some(Ok(_))) if self.body.is_end_stream() => self.release(),
            Poll::Ready(Some(Err(_))) => self.connection = None,
            _ => {}
        }
        frame
    }
}

impl Body for PooledBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        // The driver passes frames to the body in this task, so it need not wake the task.
        let mut quiet = Context::from_waker(Waker::noop());
        if let ready @ Poll::Ready(_) = self.poll_read(&mut quiet) {
            return ready;
        }
        if let Some(used) = &mut self.connection
            && used.connection.poll_driver(context).is_ready()
        {
            // A closed connection has passed the rest of the body, or its error, to the body.
            self.connection = None;
        }
        if self.connection.is_some() { self.poll_read(&mut quiet) } else { self.poll_read(context) }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl std::fmt::Debug for UsedConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.origin.fmt(f)
    }
}
