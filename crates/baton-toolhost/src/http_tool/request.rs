//! Builds the request of one call.

use super::{
    arguments::{self, HttpArgumentError, HttpArguments},
    headers::{HeaderProblem, RequestSecrets, SecretResolver},
    template::{TemplateError, UrlTemplate},
};
use baton_outbound::{OutboundError, Target};
use baton_types::{HttpBody, HttpTool, Json};
use bytes::Bytes;
use http::{HeaderValue, Method, Request, header};

const ACCEPT: &str = "application/json, text/*;q=0.9, */*;q=0.5";
const AGENT: &str = concat!("baton/", env!("CARGO_PKG_VERSION"));
const TRACE: &str = "traceparent";

/// A request with its host and secrets.
pub(super) struct HttpToolRequest {
    pub(super) request: Request<Bytes>,
    /// The host named by the definition.
    pub(super) host: String,
    pub(super) secrets: RequestSecrets,
}

/// Failure to build a request.
#[derive(Debug, thiserror::Error)]
pub(super) enum RequestBuildError {
    #[error(transparent)]
    Arguments(#[from] HttpArgumentError),
    #[error("{0}; its author has to correct the definition")]
    Template(#[from] TemplateError),
    #[error("with these arguments {0}; call it again with shorter ones")]
    Address(OutboundError),
    #[error(
        "the method '{0}' is not one of GET, POST, PUT, PATCH and DELETE; its author has to correct the definition"
    )]
    Method(String),
    #[error(transparent)]
    Header(#[from] HeaderProblem),
}

/// Builds the request from a definition and the arguments of a call.
pub(super) fn build_request(
    tool: &HttpTool,
    call_arguments: &Json,
    trace: Option<&str>,
    secrets: &SecretResolver,
) -> Result<HttpToolRequest, RequestBuildError> {
    let method = match tool.method.as_str() {
        "GET" => Method::GET,
        "POST" => Method::POST,
        "PUT" => Method::PUT,
        "PATCH" => Method::PATCH,
        "DELETE" => Method::DELETE,
        other => return Err(RequestBuildError::Method(other.to_owned())),
    };
    let template = UrlTemplate::parse(&tool.url)?;
    let call_arguments = arguments::read(call_arguments)?;
    let mut others = call_arguments.clone();
    for name in template.names() {
        others.remove(name);
    }
    let parameters = parameters(&others);
    let (more, body) = match tool.body {
        HttpBody::None => (parameters, None),
        HttpBody::Json => (Vec::new(), Some(("application/json", json(&others)))),
        HttpBody::Form => (Vec::new(), Some(("application/x-www-form-urlencoded", form(&parameters)))),
    };
    let target = Target::parse(&template.fill(&call_arguments, &more)?).map_err(RequestBuildError::Address)?;
    let mut request = Request::new(Bytes::new());
    *request.method_mut() = method;
    *request.uri_mut() = target.uri().clone();
    let headers = request.headers_mut();
    headers.insert(header::ACCEPT, HeaderValue::from_static(ACCEPT));
    headers.insert(header::USER_AGENT, HeaderValue::from_static(AGENT));
    if let Some((kind, _)) = body {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    if let Some(trace) = trace.and_then(|trace| HeaderValue::from_str(trace).ok()) {
        headers.insert(TRACE, trace);
    }
    let mut request_secrets = RequestSecrets::default();
    secrets.add_to(headers, &tool.headers, &mut request_secrets)?;
    if let Some((_, body)) = body {
        *request.body_mut() = body.into();
    }
    Ok(HttpToolRequest { request, host: template.host().to_owned(), secrets: request_secrets })
}

/// Query or form parameters; a list becomes several parameters with the same name.
fn parameters(arguments: &HttpArguments) -> Vec<(&str, String)> {
    let each = arguments
        .iter()
        .flat_map(|(name, value)| arguments::values(value).into_iter().map(move |value| (name.as_str(), value)));
    each.collect()
}

fn form(parameters: &[(&str, String)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish()
}

fn json(arguments: &HttpArguments) -> String {
    Json::from_serializable(arguments).map_or_else(|_| "{}".to_owned(), |json| json.as_str().to_owned())
}
