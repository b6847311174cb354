//! `POST /api/v1/sessions?agent=&context=`: imports a session from a file.

use super::{SessionQuery, file, invalid, load_session, markdown, read_query, session_error, summary_of};
use crate::{error_codes, state::ApiState};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_api::{ApiError, ImportedSession, SessionFile};
use baton_engine::{ImportSession, SessionRef};
use baton_http::{
    Caller,
    reply::{self, parse_text, utf8},
};
use baton_rules::Access;
use baton_types::{AgentName, ContextId};
use baton_wire::a2a::v1::Message;
use http::{HeaderMap, header};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{pin::pin, sync::Arc};

/// Query parameters: agent and context of the new session.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ImportSessionQuery {
    /// Agent of the new session; the agent in the file when absent.
    agent: Option<String>,
    /// Context id of the new session; generated when absent.
    context: Option<String>,
}

/// Creates a session with the history in the file.
pub(crate) async fn import(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    query: SessionQuery<ImportSessionQuery>,
    request: Request,
) -> Response {
    let imported = async {
        let ImportSessionQuery { agent, context } = read_query(query)?;
        let agent = agent.filter(|agent| !agent.is_empty()).map(AgentName::from);
        let context = context.filter(|context| !context.is_empty()).map(ContextId::from);
        caller.check_access(&shared.http, Access::Call, agent.as_ref())?;
        let (parts, body) = request.into_parts();
        let is_text = is_markdown(&parts.headers)?;
        let received = shared.http.bodies.read(&parts, body).await?;
        let now = shared.engine.now();
        let parsed = async {
            let parsed = if is_text {
                markdown::read(utf8(&received.bytes)?, agent, context, now)?
            } else {
                let written: SessionFile<Message<'_>> = serde_json::from_str(parse_text(&received.bytes)?)
                    .map_err(|error| invalid(error.to_string()).with_code(error_codes::SESSION_INVALID))?;
                (file::read(written, agent, context, now)?, Vec::new())
            };
            Ok::<_, ApiError>(parsed)
        };
        let (import, mut warnings) = shared.http.large_requests.drive(received.bytes.len(), pin!(parsed)).await?;
        // The agent may come from the file.
        caller.check_access(&shared.http, Access::Call, Some(&import.agent))?;
        let (session, cut) = import_session(&shared, &caller, import).await?;
        if cut > 0 {
            warnings.push(format!("messages with calls without results, or results without calls: {cut}"));
        }
        let view = load_session(&shared, &caller, Access::Read, &session).await?;
        Ok(ImportedSession { session: summary_of(&view), warnings })
    };
    match imported.await {
        Ok(imported) => reply::json(&imported),
        Err(error) => reply::error(&error),
    }
}

async fn import_session(
    shared: &ApiState,
    caller: &Caller,
    import: ImportSession,
) -> Result<(SessionRef, usize), ApiError> {
    let no_session = SessionRef { context: "".into(), agent: None };
    let imported = shared.engine.import_session(caller.principal(), import).await;
    let imported = imported.map_err(|error| session_error(shared, caller, &no_session, error))?;
    let conversation = imported.conversation;
    Ok((SessionRef { context: conversation.context, agent: Some(conversation.agent) }, imported.cut))
}

fn is_markdown(headers: &HeaderMap) -> Result<bool, ApiError> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match content_type.split(';').next().unwrap_or_default().trim() {
        "" => reply::check_json(headers).map(|()| false),
        "application/json" => Ok(false),
        "text/markdown" | "text/plain" => Ok(true),
        media_type => {
            let media_type: String = media_type.chars().take(64).collect();
            Err(reply::unsupported(&format!(
                "Content-Type must be application/json or text/markdown, not '{media_type}'"
            )))
        }
    }
}
