//! Transport wrapper that observes every message of the rmcp service in order.
//!
//! After a failed handshake the connection is returned, so that another handshake can be tried on it.

use super::{in_flight_requests::InFlightRequests, renamed_requests::RenamedRequests};
use crate::{BoxedTransport, BoxedTransportError, ServerLog};
use parking_lot::Mutex;
use rmcp::{
    RoleClient,
    model::{DiscoverResult, JsonRpcMessage, RequestId, ServerResult},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use std::sync::Arc;

/// Request id of `server/discover`, far from all other request ids.
pub(super) const PROBE_ID: i64 = 1_000_000_007;

/// Slot for the connection after the service released it.
pub(super) type TransportSlot = Arc<Mutex<Option<BoxedTransport>>>;

/// A connection lent to the service.
pub(super) struct TransportLease {
    link: Option<BoxedTransport>,
    returned: TransportSlot,
    in_flight: Arc<InFlightRequests>,
    log: ServerLog,
    late: Arc<Mutex<Option<DiscoverResult>>>,
    renamed: Arc<RenamedRequests>,
}

impl TransportLease {
    pub(super) fn new(link: BoxedTransport, in_flight: Arc<InFlightRequests>, log: ServerLog) -> Self {
        let (returned, late, renamed) = (TransportSlot::default(), Arc::default(), Arc::default());
        Self { link: Some(link), returned, in_flight, log, late, renamed }
    }

    /// Slot that receives the connection after the service released it.
    pub(super) fn return_slot(&self) -> TransportSlot {
        Arc::clone(&self.returned)
    }

    /// Slot for a probe response that arrives after `initialize` was sent.
    pub(super) fn late_probe_result(&self) -> Arc<Mutex<Option<DiscoverResult>>> {
        Arc::clone(&self.late)
    }
}

/// Whether the id is that of the probe.
pub(super) fn answers_probe(id: &RequestId) -> bool {
    match id {
        RequestId::Number(id) => *id == PROBE_ID,
        RequestId::String(id) => id.parse() == Ok(PROBE_ID),
    }
}

impl Transport<RoleClient> for TransportLease {
    type Error = BoxedTransportError;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let posted = self.renamed.rename_outgoing(&mut item);
        self.in_flight.on_sent(&item);
        let answers = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let (in_flight, renamed) = (Arc::clone(&self.in_flight), Arc::clone(&self.renamed));
        let sent = self.link.as_mut().map(|link| link.send(item));
        async move {
            let sent = match sent {
                Some(sent) => sent.await,
                None => Err(BoxedTransportError::new(std::io::Error::from(std::io::ErrorKind::NotConnected))),
            };
            if let Some(id) = answers {
                in_flight.finish_request(&id);
            }
            if let (Some(id), Err(_)) = (posted, &sent) {
                renamed.forget(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let link = self.link.as_mut()?;
            let Some(mut message) = link.receive().await else { break };
            self.renamed.rename_incoming(&mut message);
            match &message {
                JsonRpcMessage::Response(response) if answers_probe(&response.id) => {
                    if let ServerResult::DiscoverResult(result) = &response.result {
                        *self.late.lock() = Some(result.clone());
                    }
                    continue;
                }
                JsonRpcMessage::Error(error) if error.id.as_ref().is_some_and(answers_probe) => continue,
                _ => {}
            }
            if !self.in_flight.on_received(&message) {
                self.log.record_fault("it floods Baton with unsolicited messages and was stopped");
                break;
            }
            return Some(message);
        }
        self.in_flight.closed().cancel();
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.in_flight.closed().cancel();
        match self.link.take() {
            Some(mut link) => link.close().await,
            None => Ok(()),
        }
    }
}

impl Drop for TransportLease {
    fn drop(&mut self) {
        *self.returned.lock() = self.link.take();
    }
}
