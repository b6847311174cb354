//! Common data of OpenAI API requests: caller, agent and headers.

use super::error::{error_reply, from_error};
use crate::state::OpenAiState;
use axum::{extract::Request, response::Response};
use baton_api::ApiError;
use baton_engine::IdempotencyKey;
use baton_http::{
    Caller, RequestSpan,
    body::ReceivedBody,
    reply::{self, parse_text},
};
use baton_responses::OpenAiError;
use baton_rules::Access;
use baton_types::{AgentName, AgentSpec, Digest, Principal, is_idempotency_key};
use http::{HeaderMap, Method, header};
use serde::Serialize;
use std::{future::Future, sync::Arc};

/// An authenticated request.
pub(super) struct ResponsesRequest {
    pub(super) shared: Arc<OpenAiState>,
    pub(super) caller: Caller,
    pub(super) headers: HeaderMap,
    /// Agent in the path.
    path_agent: Option<AgentName>,
    span: RequestSpan,
}

/// Reads a request and answers it with `work`.
pub(super) async fn handle_request<F>(
    shared: Arc<OpenAiState>,
    request: Request,
    work: impl FnOnce(ResponsesRequest, ReceivedBody) -> F + Send,
) -> Response
where
    F: Future<Output = Result<Response, OpenAiError>> + Send,
{
    let answer = async {
        let (request, body) = ResponsesRequest::read(shared, request).await.map_err(|error| from_error(&error))?;
        let (shared, bytes) = (Arc::clone(&request.shared), body.bytes.len());
        let worked = async {
            parse_text(&body.bytes).map_err(|error| from_error(&error))?;
            work(request, body).await
        };
        shared.http.large_requests.drive(bytes, Box::pin(worked).as_mut()).await
    };
    answer.await.unwrap_or_else(|refused| error_reply(&refused))
}

/// Reply with a JSON value.
pub(super) fn json(value: &impl Serialize) -> Result<Response, OpenAiError> {
    Ok(baton_http::reply::json(value))
}

impl ResponsesRequest {
    async fn read(shared: Arc<OpenAiState>, request: Request) -> Result<(Self, ReceivedBody), ApiError> {
        let (parts, body) = request.into_parts();
        let caller = Caller::from_extensions(&parts.extensions)?;
        let addressed = agent_in_path(parts.uri.path());
        if let Some(agent) = &addressed {
            caller.check_access(&shared.http, Access::Read, Some(agent))?;
        }
        // Checked before the body: web pages can send other content types without a CORS preflight.
        if parts.headers.contains_key(header::CONTENT_TYPE) && parts.method == Method::POST {
            reply::check_json(&parts.headers)?;
        }
        let received = shared.http.bodies.read(&parts, body).await?;
        // A request without a body needs no content type.
        if !received.bytes.is_empty() {
            reply::check_json(&parts.headers)?;
        }
        let span = RequestSpan::from_request(&parts.extensions, &parts.headers);
        Ok((Self { shared, caller, headers: parts.headers, path_agent: addressed, span }, received))
    }

    /// Context of a WebSocket connection.
    pub(super) fn from_connection(shared: Arc<OpenAiState>, caller: Caller, parts: &http::request::Parts) -> Self {
        let span = RequestSpan::from_request(&parts.extensions, &parts.headers);
        Self { shared, caller, headers: parts.headers.clone(), path_agent: agent_in_path(parts.uri.path()), span }
    }

    /// Copy for work that outlives the request.
    pub(super) fn clone_for_background(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            caller: self.caller.clone(),
            headers: self.headers.clone(),
            path_agent: self.path_agent.clone(),
            span: self.span.clone(),
        }
    }

    /// Principal of the caller, passed to every engine command and query.
    pub(super) fn principal(&self) -> &Arc<Principal> {
        self.caller.principal()
    }

    /// Trace context of the caller, passed on to the run.
    pub(super) fn trace(&self) -> Option<Arc<str>> {
        self.span.trace().map(Into::into)
    }

    /// Called agent, with call access checked. Precedence: agent in the path, `model`, the only agent, the default
    /// agent.
    pub(super) fn agent(&self, model: Option<&str>) -> Result<Arc<AgentSpec>, OpenAiError> {
        let agent = self.named_agent(model)?;
        self.check_access(Access::Call, &agent.name)?;
        Ok(agent)
    }

    /// The same agent with read access checked.
    pub(super) fn readable_agent(&self, model: &str) -> Result<Arc<AgentSpec>, OpenAiError> {
        let agent = self.named_agent(Some(model))?;
        self.check_access(Access::Read, &agent.name)?;
        Ok(agent)
    }

    fn named_agent(&self, model: Option<&str>) -> Result<Arc<AgentSpec>, OpenAiError> {
        let options = &self.shared.options;
        if model.is_none() && options.strict_model {
            return Err(OpenAiError::invalid(
                "missing_required_parameter",
                "model",
                self.with_agent_names("model is missing"),
            ));
        }
        // With private cards, callers without read access must not learn whether an agent exists.
        if let (None, Some(model), true) = (&self.path_agent, model, self.shared.http.options.access.private_cards) {
            self.check_access(Access::Read, &model.into())?;
        }
        let found = match (&self.path_agent, model) {
            (Some(agent), _) => self.shared.http.agent(agent.as_str()),
            (None, Some(model)) => self.shared.http.agent(model),
            (None, None) => match self.shared.http.sole_agent() {
                Some(sole) => Some(sole),
                None => options.default_agent.as_ref().and_then(|agent| self.shared.http.agent(agent.as_str())),
            },
        };
        let Some(agent) = found else {
            return Err(match (&self.path_agent, model) {
                (None, None) => {
                    let message = self.with_agent_names("several agents are served, and the request names none");
                    OpenAiError::invalid("missing_required_parameter", "model", message)
                }
                (addressed, model) => {
                    let name = addressed.as_ref().map(AgentName::as_str).or(model).unwrap_or_default();
                    let name: String = name.chars().take(64).collect();
                    let message = self.with_agent_names(&format!("there is no agent '{name}'"));
                    OpenAiError { kind: "not_found", ..OpenAiError::not_found("model_not_found", "model", message) }
                }
            });
        };
        Ok(agent)
    }

    /// Checks that the caller's scopes allow the access.
    pub(super) fn check_access(&self, access: Access, agent: &AgentName) -> Result<(), OpenAiError> {
        self.caller.check_access(&self.shared.http, access, Some(agent)).map_err(|error| from_error(&error))
    }

    fn with_agent_names(&self, problem: &str) -> String {
        let agents = self.shared.http.agents_for(&self.caller);
        let names: Vec<&str> = agents.iter().take(20).map(|agent| agent.name.as_str()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        format!("{problem}; give one of these as model: {names}")
    }

    /// Idempotency key of the request.
    pub(super) fn idempotency(&self, body: &[u8]) -> Result<Option<IdempotencyKey>, OpenAiError> {
        let Some(value) = self.headers.get("idempotency-key") else { return Ok(None) };
        match value.to_str().map(str::trim) {
            Ok("") => Ok(None),
            Ok(key) if is_idempotency_key(key) => {
                Ok(Some(IdempotencyKey { key: format!("responses/{key}"), request: Digest::compute(body) }))
            }
            _ => {
                let message = "Idempotency-Key must be 1 to 255 visible ASCII characters";
                Err(OpenAiError::invalid("invalid_header", "Idempotency-Key", message))
            }
        }
    }

    /// Whether the caller opted out of output items for tool calls.
    pub(super) fn hides_tools(&self) -> bool {
        let visibility = self.headers.get("baton-tool-items").and_then(|value| value.to_str().ok());
        visibility.is_some_and(|visibility| visibility.trim().eq_ignore_ascii_case("hidden"))
    }
}

/// Agent at the start of a path.
fn agent_in_path(path: &str) -> Option<AgentName> {
    let (agent, _) = path.strip_prefix("/agents/")?.split_once('/')?;
    let agent = percent_decoded(agent)?;
    Some(agent.as_str().into())
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(text.as_bytes());
    pairs.next().map(|(name, _)| name.into_owned())
}
