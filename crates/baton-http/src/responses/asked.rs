//! What every request of these dialects brings: who asks, whom, and with which headers.

use super::refused::{refusal, reply_to};
use crate::{
    app::Shared,
    auth::Caller,
    body::Received,
    reply::{self, readable},
    telemetry::RequestSpan,
};
use axum::{extract::Request, response::Response};
use baton_engine::IdempotencyKey;
use baton_responses::Refusal;
use baton_rules::Access;
use baton_types::{AgentName, AgentSpec, Digest, Principal};
use baton_wire::a2a::v1::{Error, is_idempotency_key};
use http::{HeaderMap, Method, header};
use serde::Serialize;
use std::{future::Future, sync::Arc};

/// A request that came through the gate.
pub(super) struct Asked {
    pub(super) shared: Arc<Shared>,
    pub(super) caller: Caller,
    pub(super) headers: HeaderMap,
    /// The agent that the path names.
    addressed: Option<AgentName>,
    span: RequestSpan,
}

/// Answers a request: `work` is given the request and its body.
pub(super) async fn answered<F>(
    shared: Arc<Shared>,
    request: Request,
    work: impl FnOnce(Asked, Received) -> F + Send,
) -> Response
where
    F: Future<Output = Result<Response, Refusal>> + Send,
{
    let answer = async {
        let (asked, body) = Asked::read(shared, request).await.map_err(|error| refusal(&error))?;
        let (shared, bytes) = (Arc::clone(&asked.shared), body.bytes.len());
        let worked = async {
            readable(&body.bytes).map_err(|error| refusal(&error))?;
            work(asked, body).await
        };
        shared.large_requests.drive(bytes, Box::pin(worked).as_mut()).await
    };
    answer.await.unwrap_or_else(|refused| reply_to(&refused))
}

/// A value as the reply.
pub(super) fn json(value: &impl Serialize) -> Result<Response, Refusal> {
    Ok(crate::reply::json(value))
}

impl Asked {
    async fn read(shared: Arc<Shared>, request: Request) -> Result<(Self, Received), Error> {
        let (parts, body) = request.into_parts();
        let caller = Caller::of(&parts.extensions)?;
        let addressed = addressed(parts.uri.path());
        if let Some(agent) = &addressed {
            caller.may(&shared, Access::Read, Some(agent))?;
        }
        // Web pages can send other types without asking first, so this comes before the body.
        if parts.headers.contains_key(header::CONTENT_TYPE) && parts.method == Method::POST {
            reply::check_json(&parts.headers)?;
        }
        let received = shared.bodies.read(&parts, body).await?;
        // A request without a body needs no type.
        if !received.bytes.is_empty() {
            reply::check_json(&parts.headers)?;
        }
        let span = RequestSpan::of(&parts.extensions, &parts.headers);
        Ok((Self { shared, caller, headers: parts.headers, addressed, span }, received))
    }

    /// Somebody who has a connection rather than a request.
    pub(super) fn connected(shared: Arc<Shared>, caller: Caller, parts: &http::request::Parts) -> Self {
        let span = RequestSpan::of(&parts.extensions, &parts.headers);
        Self { shared, caller, headers: parts.headers.clone(), addressed: addressed(parts.uri.path()), span }
    }

    /// The same for work that outlives the request.
    pub(super) fn again(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            caller: self.caller.clone(),
            headers: self.headers.clone(),
            addressed: self.addressed.clone(),
            span: self.span.clone(),
        }
    }

    /// The first argument of every command and view.
    pub(super) fn principal(&self) -> &Arc<Principal> {
        self.caller.principal()
    }

    /// What the work carries of the caller's trace.
    pub(super) fn trace(&self) -> Option<Arc<str>> {
        self.span.trace().map(Into::into)
    }

    /// Who is asked: whoever the path names, else whoever the model is, else the only one or the one for such requests.
    pub(super) fn agent(&self, model: Option<&str>) -> Result<Arc<AgentSpec>, Refusal> {
        let agent = self.named_agent(model)?;
        self.may(Access::Call, &agent.name)?;
        Ok(agent)
    }

    /// The same for those who only look.
    pub(super) fn shown_agent(&self, model: &str) -> Result<Arc<AgentSpec>, Refusal> {
        let agent = self.named_agent(Some(model))?;
        self.may(Access::Read, &agent.name)?;
        Ok(agent)
    }

    fn named_agent(&self, model: Option<&str>) -> Result<Arc<AgentSpec>, Refusal> {
        let options = &self.shared.options.responses;
        if model.is_none() && options.strict_model {
            return Err(Refusal::invalid("missing_required_parameter", "model", self.name_one("model is missing")));
        }
        // Where cards are private, those who may not read an agent are not told whether it is there.
        if let (None, Some(model), true) = (&self.addressed, model, self.shared.options.access.private_cards) {
            self.may(Access::Read, &model.into())?;
        }
        let found = match (&self.addressed, model) {
            (Some(agent), _) => self.shared.agent(agent.as_str()),
            (None, Some(model)) => self.shared.agent(model),
            (None, None) => match self.shared.sole_agent() {
                Some(sole) => Some(sole),
                None => options.default_agent.as_ref().and_then(|agent| self.shared.agent(agent.as_str())),
            },
        };
        let Some(agent) = found else {
            return Err(match (&self.addressed, model) {
                (None, None) => {
                    let message = self.name_one("several agents are served, and the request names none");
                    Refusal::invalid("missing_required_parameter", "model", message)
                }
                (addressed, model) => {
                    let name = addressed.as_ref().map(AgentName::as_str).or(model).unwrap_or_default();
                    let name: String = name.chars().take(64).collect();
                    let message = self.name_one(&format!("there is no agent '{name}'"));
                    Refusal { kind: "not_found", ..Refusal::not_found("model_not_found", "model", message) }
                }
            });
        };
        Ok(agent)
    }

    /// Refuses what the caller's scopes do not allow.
    pub(super) fn may(&self, access: Access, agent: &AgentName) -> Result<(), Refusal> {
        self.caller.may(&self.shared, access, Some(agent)).map_err(|error| refusal(&error))
    }

    fn name_one(&self, what: &str) -> String {
        let agents = self.shared.agents_for(&self.caller);
        let names: Vec<&str> = agents.iter().take(20).map(|agent| agent.name.as_str()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        format!("{what}; give one of these as model: {names}")
    }

    /// The key under which a repeated request is recognised.
    pub(super) fn idempotency(&self, body: &[u8]) -> Result<Option<IdempotencyKey>, Refusal> {
        let Some(value) = self.headers.get("idempotency-key") else { return Ok(None) };
        match value.to_str().map(str::trim) {
            Ok("") => Ok(None),
            Ok(key) if is_idempotency_key(key) => {
                Ok(Some(IdempotencyKey { key: format!("responses/{key}"), request: Digest::of(body) }))
            }
            _ => {
                let message = "Idempotency-Key must be 1 to 255 visible ASCII characters";
                Err(Refusal::invalid("invalid_header", "Idempotency-Key", message))
            }
        }
    }

    /// Whether the caller does not want to see what the agent does on the way to its answer.
    pub(super) fn hides_tools(&self) -> bool {
        let said = self.headers.get("baton-tool-items").and_then(|value| value.to_str().ok());
        said.is_some_and(|said| said.trim().eq_ignore_ascii_case("hidden"))
    }
}

/// The agent that a path begins with.
fn addressed(path: &str) -> Option<AgentName> {
    let (agent, _) = path.strip_prefix("/agents/")?.split_once('/')?;
    let agent = percent_decoded(agent)?;
    Some(agent.as_str().into())
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(text.as_bytes());
    pairs.next().map(|(name, _)| name.into_owned())
}
