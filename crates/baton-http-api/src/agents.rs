//! Lists of the served agents.

use crate::{resources::AGENTS, state::ApiState};
use axum::{
    extract::State,
    response::{Html, Response},
};
use baton_api::{AgentEntry, AgentList};
use baton_http::{Caller, RouteAccess, Routes, base_url, reply};
use http::HeaderMap;
use std::{fmt::Write as _, sync::Arc};

/// Adds the route of the list.
pub(crate) fn mount(routes: Routes<Arc<ApiState>>) -> Routes<Arc<ApiState>> {
    routes.operation(
        AGENTS.get("/agents", RouteAccess::Card, "listAgents", "List the served agents").reply::<AgentList>(),
        list,
    )
}

/// `GET /agents`.
async fn list(State(shared): State<Arc<ApiState>>, caller: Caller, headers: HeaderMap) -> Response {
    let base = base_url(&shared.http, &headers);
    let agents = shared.http.agents_for(&caller).iter().map(|agent| AgentEntry::from_listing(agent, &base)).collect();
    reply::json(&AgentList { agents })
}

/// `GET /`: HTML page for browsers.
pub(crate) async fn page(State(shared): State<Arc<ApiState>>, caller: Caller) -> Html<String> {
    let mut rows = String::new();
    for agent in shared.http.agents_for(&caller) {
        let (name, title) = (escape(agent.name.as_str()), escape(&agent.title));
        let about = escape(&agent.description);
        let card = format!("/agents/{name}/.well-known/agent-card.json");
        let _ = write!(
            rows,
            "<li><b>{title}</b> — {about}<br><a href=\"{card}\">card</a> · A2A at <code>/agents/{name}</code></li>"
        );
    }
    if rows.is_empty() {
        rows.push_str("<li>No agents are served. Start Baton with a directory: <code>baton up DIR</code></li>");
    }
    Html(format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Baton</title>\
         <style>body{{font:16px/1.6 system-ui;max-width:44rem;margin:3rem auto;padding:0 1rem}}</style>\
         <h1>Baton</h1><p>Agents served here:</p><ul>{rows}</ul><p><a href=\"/agents\">as JSON</a></p></html>"
    ))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
