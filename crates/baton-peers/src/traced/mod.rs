//! Spans of what peers are asked: one for each request, whose context goes along with it.

mod binding;
mod said;

use crate::{Binding, PeerClient, With};
use baton_outbound::Target;
use baton_telemetry::{OpenSpan, Tracer, current, names};
use baton_types::{AgentName, SpanKind, TraceContext};
use std::sync::Arc;

/// Where a peer is and what it speaks there, as spans tell it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    address: Option<(String, u16)>,
    system: Option<&'static str>,
    version: String,
}

impl Place {
    /// Of an interface at an address, such as `JSONRPC` in version `1.0`.
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

/// A binding whose every request has a span.
struct TracedBinding {
    inner: Arc<dyn Binding>,
    tracer: Tracer,
    peer: AgentName,
    place: Arc<Place>,
}

impl PeerClient {
    /// The same client, whose requests have spans; `peer` is what the peer is called here.
    #[must_use]
    pub fn traced(mut self, tracer: &Tracer, peer: &AgentName) -> Self {
        if tracer.is_on() {
            let (inner, place) = (Arc::clone(&self.binding), Arc::clone(&self.place));
            self.binding = Arc::new(TracedBinding { inner, tracer: tracer.clone(), peer: peer.clone(), place });
        }
        self
    }
}

impl TracedBinding {
    /// A span for one request, and what goes with the request then.
    fn begin(&self, method: &'static str, with: &With) -> (OpenSpan, With) {
        let parent = with.trace.as_deref().and_then(TraceContext::parse).or_else(current);
        let mut span = self.tracer.start(SpanKind::Client, method, parent);
        span.set(names::A2A_METHOD_NAME, method);
        span.set(names::GEN_AI_AGENT_NAME, self.peer.as_str().to_owned());
        span.set(names::A2A_PROTOCOL_VERSION, self.place.version.clone());
        span.set_some(names::RPC_SYSTEM, self.place.system);
        if let Some((host, port)) = &self.place.address {
            span.set(names::SERVER_ADDRESS, host.clone());
            span.set(names::SERVER_PORT, u32::from(*port));
        }
        let trace = span.context().map(|context| context.to_string().into());
        let with = With { trace, ..with.clone() };
        (span, with)
    }
}
