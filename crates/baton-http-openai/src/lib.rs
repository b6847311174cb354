//! `/v1/responses` and related endpoints, for OpenAI clients.
//!
//! This crate must never keep a second store: a response is one turn of a task, its id contains the task id and the
//! number of the turn's first event, and the same task is available over A2A. `baton-responses` defines requests and
//! responses; this crate converts requests to engine commands and events to replies.
//!
//! Read first: [`routes`] (the operation table), `create.rs` and `stream.rs` (a response, whole and streamed),
//! `error.rs` (the only place that writes OpenAI errors).

mod caller_servers;
mod cancel;
mod chat;
mod compact;
mod completions;
mod conversations;
mod create;
mod delete;
mod edge;
mod error;
pub mod error_codes;
mod failed_reply;
mod input_items;
mod input_tokens;
mod models;
mod not_found;
mod options;
mod prior_context;
mod references;
mod request;
mod show;
mod socket;
mod state;
mod stream;
mod turn;
mod waiting_run;

pub use caller_servers::CallerServerPorts;
pub use edge::OpenAiEdge;
pub use options::ResponsesOptions;

use axum::response::Response;
use baton_api::ApiError;
use baton_engine::Engine;
use baton_http::{ErrorFormat, HttpContext, RequestHead, RouteAccess, RouteAgentSource, Routes, SurfaceRoutes};
use state::OpenAiState;
use std::sync::Arc;

/// The OpenAI routes, for all agents and for each agent.
pub fn routes(
    http: &Arc<HttpContext>,
    engine: Engine,
    options: ResponsesOptions,
    caller_servers: Option<CallerServerPorts>,
) -> SurfaceRoutes {
    let sockets = http.share_pool(http.options.max_streams / 4);
    let state = OpenAiState { http: Arc::clone(http), engine, options, caller_servers, sockets };
    mount(Routes::new(http)).name_spans().with_state(Arc::new(state))
}

fn mount(routes: Routes<Arc<OpenAiState>>) -> Routes<Arc<OpenAiState>> {
    let prefixes = [("/v1", RouteAgentSource::Resource), ("/agents/{agent}/v1", RouteAgentSource::Path)];
    prefixes.into_iter().fold(routes, |routes, (base, agent_source)| {
        let at = |path: &str| format!("{base}{path}");
        let (read, call) = (RouteAccess::Read(agent_source), RouteAccess::Call(agent_source));
        routes
            .post(&at("/responses"), call, create::create)
            .get(&at("/responses"), call, socket::connect)
            .post(&at("/responses/compact"), call, compact::compact)
            .post(&at("/responses/input_tokens"), call, input_tokens::count)
            .get(&at("/responses/{response}"), read, show::show)
            .delete(&at("/responses/{response}"), call, delete::delete)
            .post(&at("/responses/{response}/cancel"), call, cancel::cancel)
            .get(&at("/responses/{response}/input_items"), read, input_items::list)
            .post(&at("/chat/completions"), call, chat::create)
            .post(&at("/completions"), call, completions::create)
            .get(&at("/models"), read, models::list)
            .get(&at("/models/{model}"), read, models::show)
            .post(&at("/conversations"), call, conversations::create)
            .get(&at("/conversations/{conversation}"), read, conversations::show)
            .post(&at("/conversations/{conversation}"), call, conversations::change)
            .delete(&at("/conversations/{conversation}"), call, conversations::delete)
            .get(&at("/conversations/{conversation}/items"), read, conversations::list_items)
            .post(&at("/conversations/{conversation}/items"), call, conversations::add_items)
            .get(&at("/conversations/{conversation}/items/{item}"), read, conversations::show_item)
            .delete(&at("/conversations/{conversation}/items/{item}"), call, conversations::delete_item)
    })
}

/// Errors for OpenAI clients, which understand only OpenAI's format.
pub struct OpenAiErrors;

impl ErrorFormat for OpenAiErrors {
    fn error_response(&self, head: RequestHead<'_>, error: &ApiError) -> Option<Response> {
        let is_openai = !head.is_grpc() && is_openai_path(head.uri.path());
        is_openai.then(|| error::error_reply(&error::from_error(error)))
    }

    fn guard_response(&self, head: RequestHead<'_>, error: &ApiError) -> Option<Response> {
        self.error_response(head, error)
    }

    fn unknown_path(&self, head: RequestHead<'_>) -> Option<Response> {
        let is_openai = !head.is_grpc() && is_openai_path(head.uri.path());
        is_openai.then(|| not_found::no_such_path(head.method, head.uri.path()))
    }

    fn unknown_method(&self, head: RequestHead<'_>) -> Option<Response> {
        is_openai_path(head.uri.path()).then(|| not_found::no_such_method(head.method, head.uri.path()))
    }
}

/// Whether a path below the root or an agent belongs to the OpenAI API, served or not: everything below `v1` except the
/// paths of A2A 0.3 and of OpenTelemetry exporters.
fn is_openai_relative_path(path: &str) -> bool {
    match path.strip_prefix("v1/").map(|below| below.split('/').next().unwrap_or_default()) {
        Some("card" | "tasks" | "traces" | "logs" | "metrics") => false,
        Some(first) => !first.starts_with("message:"),
        None => path == "v1",
    }
}

/// The same check for a whole path.
pub(crate) fn is_openai_path(path: &str) -> bool {
    match path.strip_prefix("/agents/") {
        Some(below) => {
            below.split_once('/').is_some_and(|(_agent, relative_path)| is_openai_relative_path(relative_path))
        }
        None => is_openai_relative_path(path.trim_start_matches('/')),
    }
}
