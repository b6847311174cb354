//! All HTTP surfaces of an engine.

use axum::Router;
use baton_engine::Engine;
use baton_http::{HttpContext, HttpOptions, OwnershipLookup, Surface};
use baton_http_a2a::{A2aErrors, A2aOptions};
use baton_http_api::ApiPorts;
use baton_http_openai::{CallerServerPorts, OpenAiEdge, OpenAiErrors, ResponsesOptions};
use baton_http_telemetry::{TelemetryErrors, TelemetryPorts};
use baton_mcp::McpPorts;
use baton_ports::{BoxFuture, CardSigner, JournalError};
use baton_types::{Principal, StreamId};
use std::sync::Arc;

/// Options and ports of all surfaces.
#[derive(Clone, Debug, Default)]
pub struct SurfaceOptions {
    /// Options that all surfaces share.
    pub http: HttpOptions,
    /// Offered A2A features.
    pub a2a: A2aOptions,
    /// Signer of agent cards; without it cards are unsigned.
    pub signer: Option<Arc<dyn CardSigner>>,
    /// Defaults for OpenAI-compatible requests.
    pub openai: ResponsesOptions,
    /// Connections to MCP servers given in requests; `None` rejects such requests.
    pub caller_servers: Option<CallerServerPorts>,
    /// MCP services; `None` disables MCP.
    pub mcp: Option<McpPorts>,
    /// Ports of the telemetry surface.
    pub telemetry: TelemetryPorts,
    /// Ports of Baton's own API.
    pub api: ApiPorts,
}

/// The HTTP surfaces of an engine as a service: pass it to [`baton_http::serve`], or call it in memory.
pub fn app(engine: Engine, options: SurfaceOptions) -> Router {
    surface(engine, options).router
}

/// The HTTP surfaces of an engine, with the table of their operations.
pub fn surface(engine: Engine, options: SurfaceOptions) -> Surface {
    let SurfaceOptions { http, mut a2a, signer, openai, caller_servers, mcp, telemetry, api } = options;
    a2a.environments = mcp.is_some();
    let ownership = Arc::new(EngineOwnership(engine.clone()));
    // A2A comes last: its format also serves requests of no protocol.
    let context = HttpContext::new(
        http,
        vec![Arc::new(TelemetryErrors), Arc::new(OpenAiErrors), Arc::new(A2aErrors)],
        engine.agent_source(),
        ownership,
    );
    let edge = Arc::new(OpenAiEdge::new(engine.clone()));
    let surfaces = vec![
        baton_http_a2a::routes(&context, engine.clone(), a2a, signer),
        baton_http_api::routes(&context, engine.clone(), api),
        baton_http_openai::routes(&context, engine, openai, caller_servers),
        baton_mcp::routes(&context, mcp),
        baton_http_telemetry::routes(&context, telemetry),
    ];
    baton_http::surface(&context, surfaces, Some(edge))
}

/// Owners of the engine's resources.
struct EngineOwnership(Engine);

impl OwnershipLookup for EngineOwnership {
    fn is_foreign<'a>(
        &'a self,
        principal: &'a Principal,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<bool, JournalError>> {
        Box::pin(self.0.is_foreign(principal, stream))
    }
}
