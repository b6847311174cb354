//! Handles requests of servers of the older protocol during a call.

use super::in_flight_requests::{InFlightEvent, InFlightRequests, RoutingError};
use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult,
        ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorCode, ExtensionCapabilities,
        FormElicitationCapability, Implementation, InputRequest, JsonObject, ListRootsRequest, ListRootsResult,
        ProtocolVersion, RootsCapabilities, SamplingCapability, UrlElicitationCapability,
    },
    service::{InboundStreamOrigin, RequestContext},
};
use serde::de::DeserializeOwned;
use std::{collections::BTreeMap, sync::Arc};
use tokio::sync::oneshot;

/// Extension that announces that sampling requests may name the agent to answer.
const HANDOFF_EXTENSION: &str = "dev.baton/handoff";

/// Client handler of one connection.
#[derive(Clone)]
pub(super) struct McpClientHandler {
    pub(super) in_flight: Arc<InFlightRequests>,
    pub(super) implementation: Implementation,
}

/// Capabilities that this host fulfills directly or forwards.
pub(crate) fn host_capabilities() -> ClientCapabilities {
    let handoff = || ExtensionCapabilities::from(BTreeMap::from([(HANDOFF_EXTENSION.to_owned(), JsonObject::new())]));
    let mut capabilities = ClientCapabilities::default();
    capabilities.experimental = Some(handoff());
    capabilities.extensions = Some(handoff());
    capabilities.roots = Some(RootsCapabilities::default());
    capabilities.sampling = Some(SamplingCapability::default());
    capabilities.elicitation = Some(
        ElicitationCapability::new()
            .with_form(FormElicitationCapability::new())
            .with_url(UrlElicitationCapability::new()),
    );
    capabilities
}

impl McpClientHandler {
    /// Forwards the request to the caller of the call that it belongs to.
    async fn forward_to_caller<T: DeserializeOwned>(
        &self,
        request: InputRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<T, ErrorData> {
        let origin = context.extensions.get::<InboundStreamOrigin>();
        let events = self.in_flight.route(&request, origin).map_err(routing_error)?;
        let (reply, answer) = oneshot::channel();
        let call_ended = || ErrorData::internal_error("the call that this request belongs to has ended", None);
        events.send(InFlightEvent::Question { request, reply }).await.map_err(|_| call_ended())?;
        let answer = tokio::select! {
            answer = answer => answer.map_err(|_| call_ended())??,
            () = context.ct.cancelled() => return Err(call_ended()),
        };
        serde_json::from_value(answer)
            .map_err(|_| ErrorData::internal_error("the answer does not match the protocol", None))
    }
}

fn routing_error(error: RoutingError) -> ErrorData {
    match error {
        RoutingError::NoCall => {
            ErrorData::invalid_params("no call is in flight that this request could belong to", None)
        }
        RoutingError::Ambiguous => ErrorData::invalid_params(
            "calls of several callers are in flight, and the request does not identify its call; make the call again",
            None,
        ),
        RoutingError::Incapable => {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "the caller of this call cannot answer such requests", None)
        }
    }
}

impl ClientHandler for McpClientHandler {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(host_capabilities(), self.implementation.clone())
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.forward_to_caller(InputRequest::CreateMessage(CreateMessageRequest::new(params)), context).await
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.forward_to_caller(InputRequest::Elicitation(ElicitRequest::new(params)), context).await
    }

    async fn list_roots(&self, context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let request = InputRequest::ListRoots(ListRootsRequest::default());
        // A caller without roots is treated like one with an empty list.
        if self.in_flight.route(&request, context.extensions.get::<InboundStreamOrigin>()).is_err() {
            return Ok(ListRootsResult::default());
        }
        self.forward_to_caller(request, context).await
    }
}
