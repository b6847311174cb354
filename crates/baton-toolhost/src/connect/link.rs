//! Type-erased connection.

use crate::{RemoteServer, streamable};
use baton_ports::BoxFuture;
use rmcp::{
    RoleClient,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use std::error::Error;

/// Send failure; its source is the error of the transport.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BoxedTransportError(#[source] Box<dyn Error + Send + Sync>);

impl BoxedTransportError {
    /// Wraps the error of a transport.
    pub fn new(error: impl Error + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }
}

/// Type-erased rmcp client transport; dropping it closes the connection.
pub struct BoxedTransport {
    transport: Box<dyn ErasedTransport>,
    remote: Option<RemoteServer>,
}

impl BoxedTransport {
    /// Wraps any client transport.
    pub fn new(transport: impl Transport<RoleClient> + 'static) -> Self {
        Self { transport: Box::new(transport), remote: None }
    }

    /// Streamable HTTP; calls may also be posted without the transport.
    pub fn streamable(remote: RemoteServer) -> Self {
        Self { remote: Some(remote.clone()), ..Self::new(streamable(remote)) }
    }

    /// The server, if calls may be posted without the transport.
    pub(crate) fn remote(&self) -> Option<&RemoteServer> {
        self.remote.as_ref()
    }
}

/// [`Transport`] as a trait object.
trait ErasedTransport: Send {
    fn send(&mut self, item: TxJsonRpcMessage<RoleClient>) -> BoxFuture<'static, Result<(), BoxedTransportError>>;
    fn receive(&mut self) -> BoxFuture<'_, Option<RxJsonRpcMessage<RoleClient>>>;
    fn close(&mut self) -> BoxFuture<'_, Result<(), BoxedTransportError>>;
}

impl<T: Transport<RoleClient> + 'static> ErasedTransport for T {
    fn send(&mut self, item: TxJsonRpcMessage<RoleClient>) -> BoxFuture<'static, Result<(), BoxedTransportError>> {
        let sent = Transport::send(self, item);
        Box::pin(async move { sent.await.map_err(BoxedTransportError::new) })
    }

    fn receive(&mut self) -> BoxFuture<'_, Option<RxJsonRpcMessage<RoleClient>>> {
        Box::pin(Transport::receive(self))
    }

    fn close(&mut self) -> BoxFuture<'_, Result<(), BoxedTransportError>> {
        Box::pin(async move { Transport::close(self).await.map_err(BoxedTransportError::new) })
    }
}

impl Transport<RoleClient> for BoxedTransport {
    type Error = BoxedTransportError;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.transport.send(item)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleClient>>> + Send {
        self.transport.receive()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.transport.close()
    }
}
