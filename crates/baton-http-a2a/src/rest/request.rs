//! An HTTP+JSON request, from its path to the operation and its reply.

use super::super::{
    call::{A2aCall, prefer_agent_not_found},
    extensions,
    operation::A2aOperation,
    span_attributes::{self, RequestProtocol},
    version::{self, A2aVersion},
};
use crate::{
    error::from_api,
    reply::{self, JsonMediaType},
    span_attributes::A2aSpan as _,
    state::A2aState,
};
use axum::{
    extract::{FromRequestParts as _, Path, Request},
    response::Response,
};
use baton_http::{Caller, RequestSpan, body::ReceivedBody, invalid_path};
use baton_rules::Access;
use baton_types::{AgentName, ErrorCode, PushDialect};
use baton_wire::a2a::v1::{Error, ErrorKind, PROTOCOL_VERSION, read_params_text};
use http::{HeaderValue, header, request::Parts};
use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IgnoredAny},
};
use std::{pin::pin, sync::Arc};

/// Path parameters.
#[derive(Debug, Default, Deserialize)]
struct RestPathParams {
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    tenant: Option<String>,
    #[serde(default)]
    task: Option<String>,
    #[serde(default)]
    config: Option<String>,
}

/// A request with parsed path, checked version and received body.
pub(super) struct RestRequest {
    pub(super) shared: Arc<A2aState>,
    caller: Caller,
    pub(super) agent: AgentName,
    pub(super) tenant: Option<String>,
    /// Task id, without the verb after the colon.
    pub(super) task: String,
    /// Verb after the task's colon.
    pub(super) verb: Option<String>,
    pub(super) config: String,
    parts: Parts,
    body: Option<ReceivedBody>,
    dialect: PushDialect,
    span: RequestSpan,
}

/// Answers a request: reads it, runs `operate` and writes its error.
pub(super) async fn answer<F>(
    shared: Arc<A2aState>,
    protocol_version: A2aVersion,
    request: Request,
    operate: F,
) -> Response
where
    F: AsyncFnOnce(&mut RestRequest) -> Result<Response, Error>,
{
    let media = JsonMediaType::from_headers(request.headers());
    let method = request.method().clone();
    let span = RequestSpan::from_request(request.extensions(), request.headers());
    record_operation(&span, protocol_version, &request);
    let answered = match RestRequest::read(shared, protocol_version, request, span.clone()).await {
        Ok(mut rest_request) => {
            let shared = Arc::clone(&rest_request.shared);
            let bytes = rest_request.body.as_ref().map_or(0, |received| received.bytes.len());
            let operated = {
                let work = pin!(operate(&mut rest_request));
                shared.http.large_requests.drive(bytes, work).await
            };
            match operated {
                Ok(mut response) => {
                    extensions::acknowledge(&rest_request.call(), response.headers_mut());
                    Ok(response)
                }
                Err(error) => {
                    Err(prefer_agent_not_found(&rest_request.shared, &rest_request.caller, &rest_request.agent, error))
                }
            }
        }
        Err(error) => Err(error),
    };
    answered.unwrap_or_else(|error| {
        span.record_rejection(&error);
        let mut response = match protocol_version {
            A2aVersion::V1 => reply::rest_error_as(&error, media),
            A2aVersion::V03 => reply::old_rest_error(&error),
        };
        if error.kind == ErrorKind::MethodNotAllowed {
            // Each of these paths answers GET or POST, so the other method is allowed.
            let allowed = if method == http::Method::POST { "GET" } else { "POST" };
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
        }
        response
    })
}

/// Names the span after the 1.0 method in every version.
fn record_operation(span: &RequestSpan, protocol_version: A2aVersion, request: &Request) {
    let operation =
        if span.is_on() { A2aOperation::from_rest_path(request.method(), request.uri().path()) } else { None };
    let Some(operation) = operation else { return span.record_route_name(request.method(), request.extensions()) };
    let version = match protocol_version {
        A2aVersion::V1 => PROTOCOL_VERSION,
        A2aVersion::V03 => span_attributes::V03_VERSION,
    };
    RequestProtocol { system: None, version: Some(version) }.record_operation(span, operation, request.extensions());
}

impl RestRequest {
    async fn read(
        shared: Arc<A2aState>,
        protocol_version: A2aVersion,
        request: Request,
        span: RequestSpan,
    ) -> Result<Self, Error> {
        let (mut parts, body) = request.into_parts();
        let params = Path::<RestPathParams>::from_request_parts(&mut parts, &()).await;
        let params = params.map(|Path(params)| params).map_err(|error| from_api(invalid_path(&error.body_text())))?;
        let caller = Caller::from_extensions(&parts.extensions).map_err(from_api)?;
        let agent = match params.agent {
            Some(agent) => agent.into(),
            None => shared.http.resolve_agent(&caller, params.tenant.as_deref()).map_err(from_api)?,
        };
        caller.check_access(&shared.http, Access::Read, Some(&agent)).map_err(from_api)?;
        span.set_agent(&agent);
        version::check(&parts.headers, Some(&parts.uri), protocol_version, shared.options.version_rule)?;
        let body = match parts.method {
            http::Method::POST => Some(shared.http.bodies.read(&parts, body).await.map_err(from_api)?),
            _ => None,
        };
        let (task, verb) = match params.task {
            None => (String::new(), None),
            Some(task) => match task.rsplit_once(':') {
                Some((task, verb)) => (task.to_owned(), Some(verb.to_owned())),
                None => (task, None),
            },
        };
        let dialect = match protocol_version {
            A2aVersion::V1 => PushDialect::V1,
            A2aVersion::V03 => PushDialect::V03,
        };
        let config = params.config.unwrap_or_default();
        Ok(Self { shared, caller, agent, tenant: params.tenant, task, verb, config, parts, body, dialect, span })
    }

    pub(super) fn call(&self) -> A2aCall<'_> {
        let (headers, span) = (&self.parts.headers, &self.span);
        A2aCall { shared: &self.shared, caller: &self.caller, agent: &self.agent, headers, dialect: self.dialect, span }
    }

    /// Parses the body and releases its memory.
    pub(super) fn body<T: DeserializeOwned>(&mut self) -> Result<T, Error> {
        reply::check_json(&self.parts.headers)?;
        let received = self.body.take();
        let bytes = received.as_ref().map_or(&b""[..], |received| &received.bytes);
        let text = reply::parse_text(bytes)?.trim_ascii();
        // Distinguishing invalid JSON from invalid parameters costs a second parse, so it happens only after an error.
        read_params_text(text).map_err(|wrong| match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => wrong,
            Err(_) => {
                let message = if text.is_empty() { "the body is empty" } else { "the body is not JSON" };
                Error::new(ErrorKind::Parse, ErrorCode::INVALID_REQUEST, message)
            }
        })
    }

    /// Parses the body; an empty body gives the default request.
    pub(super) fn body_or_default<T: DeserializeOwned + Default>(&mut self) -> Result<T, Error> {
        if self.body.as_ref().is_none_or(|received| received.bytes.trim_ascii().is_empty()) {
            return Ok(T::default());
        }
        self.body()
    }

    /// Parses the query string.
    pub(super) fn query<T: DeserializeOwned>(&self) -> Result<T, Error> {
        super::query::read(self.parts.uri.query().unwrap_or_default())
    }

    /// Reply with status 200 and a JSON value.
    pub(super) fn json(&self, value: &impl Serialize) -> Response {
        reply::json_as(value, JsonMediaType::from_headers(&self.parts.headers))
    }

    /// Error for a wrong HTTP method or an unknown verb after a task's colon.
    pub(super) fn no_such_verb(&self) -> Error {
        let path = self.parts.uri.path();
        match self.verb.as_deref() {
            None | Some("cancel" | "subscribe") => {
                let message = format!("{path} does not answer {}", self.parts.method);
                Error::new(ErrorKind::MethodNotAllowed, ErrorCode::INVALID_REQUEST, message)
            }
            Some(_) => {
                let message = format!("there is nothing at {path}");
                Error::new(ErrorKind::PageNotFound, ErrorCode::INVALID_REQUEST, message)
            }
        }
    }
}
