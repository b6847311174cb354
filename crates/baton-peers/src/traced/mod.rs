//! Spans of requests to peers: one per request, with its context propagated.

mod binding;
mod span_attributes;

use crate::{Binding, PeerClient, RequestMetadata};
use baton_outbound::Target;
use baton_telemetry::{OpenSpan, Tracer, current_span, names};
use baton_types::{AgentName, SpanKind, TraceContext};
use std::sync::Arc;

/// Span attributes of a peer's interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EndpointAttributes {
    address: Option<(String, u16)>,
    system: Option<&'static str>,
    version: String,
}

impl EndpointAttributes {
    /// Attributes of an interface at a URL, such as `JSONRPC` in version `1.0`.
    pub(crate) fn new(endpoint: &str, protocol: &str, version: &str) -> Self {
        let system = match protocol.to_ascii_uppercase().as_str() {
            "JSONRPC" => Some("jsonrpc"),
            "GRPC" => Some("grpc"),
            _ => None,
        };
        let address = Target::parse(endpoint).ok().map(|target| (target.host(), target.port()));
        Self { address, system, version: version.to_owned() }
    }
}

/// A binding with a span for every request.
struct TracedBinding {
    inner: Arc<dyn Binding>,
    tracer: Tracer,
    peer: AgentName,
    endpoint_attributes: Arc<EndpointAttributes>,
}

impl PeerClient {
    /// The same client with spans; `peer` is the name of the peer in this Baton.
    #[must_use]
    pub fn traced(mut self, tracer: &Tracer, peer: &AgentName) -> Self {
        if tracer.is_on() {
            let (inner, endpoint_attributes) = (Arc::clone(&self.binding), Arc::clone(&self.endpoint_attributes));
            self.binding =
                Arc::new(TracedBinding { inner, tracer: tracer.clone(), peer: peer.clone(), endpoint_attributes });
        }
        self
    }
}

impl TracedBinding {
    /// Starts the span of a request and returns the metadata that propagates its context.
    fn start_span(&self, method: &'static str, with: &RequestMetadata) -> (OpenSpan, RequestMetadata) {
        let parent = with.trace.as_deref().and_then(TraceContext::parse).or_else(current_span);
        let mut span = self.tracer.start(SpanKind::Client, method, parent);
        span.set(names::A2A_METHOD_NAME, method);
        span.set(names::GEN_AI_AGENT_NAME, self.peer.as_str().to_owned());
        span.set(names::A2A_PROTOCOL_VERSION, self.endpoint_attributes.version.clone());
        span.set_some(names::RPC_SYSTEM, self.endpoint_attributes.system);
        if let Some((host, port)) = &self.endpoint_attributes.address {
            span.set(names::SERVER_ADDRESS, host.clone());
            span.set(names::SERVER_PORT, u32::from(*port));
        }
        let trace = span.context().map(|context| context.to_string().into());
        let with = RequestMetadata { trace, ..with.clone() };
        (span, with)
    }
}
