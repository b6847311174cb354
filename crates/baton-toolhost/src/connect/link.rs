//! Type-erased connection.

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
pub struct LinkError(#[source] Box<dyn Error + Send + Sync>);

impl LinkError {
    /// Wraps the error of a transport.
    pub fn new(error: impl Error + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }
}

/// Type-erased rmcp client transport; dropping it closes the connection.
pub struct Link(Box<dyn Wire>);

impl Link {
    /// Wraps any client transport.
    pub fn new(transport: impl Transport<RoleClient> + 'static) -> Self {
        Self(Box::new(transport))
    }
}

/// [`Transport`] as a trait object.
trait Wire: Send {
    fn send(&mut self, item: TxJsonRpcMessage<RoleClient>) -> BoxFuture<'static, Result<(), LinkError>>;
    fn receive(&mut self) -> BoxFuture<'_, Option<RxJsonRpcMessage<RoleClient>>>;
    fn close(&mut self) -> BoxFuture<'_, Result<(), LinkError>>;
}

impl<T: Transport<RoleClient> + 'static> Wire for T {
    fn send(&mut self, item: TxJsonRpcMessage<RoleClient>) -> BoxFuture<'static, Result<(), LinkError>> {
        let sent = Transport::send(self, item);
        Box::pin(async move { sent.await.map_err(LinkError::new) })
    }

    fn receive(&mut self) -> BoxFuture<'_, Option<RxJsonRpcMessage<RoleClient>>> {
        Box::pin(Transport::receive(self))
    }

    fn close(&mut self) -> BoxFuture<'_, Result<(), LinkError>> {
        Box::pin(async move { Transport::close(self).await.map_err(LinkError::new) })
    }
}

impl Transport<RoleClient> for Link {
    type Error = LinkError;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.0.send(item)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleClient>>> + Send {
        self.0.receive()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.0.close()
    }
}
