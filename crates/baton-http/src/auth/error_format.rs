//! Error format for requests that are rejected before they are read, determined by path and media type.

use crate::{
    a2a, otlp,
    reply::{self, JsonMediaType},
    responses, tempo,
};
use axum::response::Response;
use baton_otlp::Encoding;
use baton_proto::status;
use baton_wire::a2a::v1::Error;
use http::{Method, Request};

/// Binding and dialect of a request, as far as they are known before its body is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorFormat {
    JsonRpc,
    Rest(JsonMediaType),
    OldRest,
    Grpc,
    /// OpenTelemetry exporters.
    Otlp(Encoding),
    /// OpenAI clients.
    Responses,
    /// Grafana Tempo clients.
    Tempo,
}

/// Error reply for requests of OpenAI clients, which only understand OpenAI's error format; `None` for other requests.
pub(crate) fn openai_error_response<B>(request: &Request<B>, error: &Error) -> Option<Response> {
    let form = ErrorFormat::from_request(request);
    (form == ErrorFormat::Responses).then(|| form.error_response(error))
}

impl ErrorFormat {
    pub(super) fn from_request<B>(request: &Request<B>) -> Self {
        if a2a::is_grpc(request.headers()) {
            return Self::Grpc;
        }
        let path = request.uri().path();
        if matches!(path.strip_prefix("/otlp").unwrap_or(path), "/v1/traces" | "/v1/logs" | "/v1/metrics") {
            return Self::Otlp(otlp::encoding_of(request.headers()).unwrap_or(Encoding::Json));
        }
        if path.starts_with("/tempo/") {
            return Self::Tempo;
        }
        let relative_path = match path.strip_prefix("/agents/") {
            Some(below) => below.split_once('/').map_or("", |(_agent, relative_path)| relative_path),
            None => path.trim_start_matches('/'),
        };
        match relative_path {
            "" | "a2a" | "a2a/" if *request.method() == Method::POST => Self::JsonRpc,
            "agent/authenticatedExtendedCard" => Self::OldRest,
            relative_path if responses::is_openai_relative_path(relative_path) => Self::Responses,
            relative_path if relative_path.starts_with("v1/") => Self::OldRest,
            _ => Self::Rest(JsonMediaType::from_headers(request.headers())),
        }
    }

    /// Error reply in this format.
    pub(super) fn error_response(self, error: &Error) -> Response {
        match self {
            Self::JsonRpc => reply::rpc_error(None, error),
            Self::Rest(media) => reply::rest_error_as(error, media),
            Self::OldRest => reply::old_rest_error(error),
            Self::Grpc => status(error).into_http(),
            Self::Otlp(encoding) => otlp::error_response(encoding, error),
            Self::Responses => responses::error_reply(error),
            Self::Tempo => tempo::error_response(error),
        }
    }
}

/// Error reply in the format of the request's binding.
pub(crate) fn error_response_for<B>(request: &Request<B>, error: &Error) -> Response {
    ErrorFormat::from_request(request).error_response(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_selects_the_error_format() {
        use ErrorFormat::{Grpc, JsonRpc, OldRest, Otlp, Responses, Rest, Tempo};
        let json = "application/json";
        for (method, path, content_type, expect) in [
            ("POST", "/", json, JsonRpc),
            ("POST", "/a2a", json, JsonRpc),
            ("POST", "/a2a/", json, JsonRpc),
            ("POST", "/agents/weather", json, JsonRpc),
            ("POST", "/agents/weather/", json, JsonRpc),
            ("POST", "/agents/weather/a2a", json, JsonRpc),
            ("POST", "/agents/weather/a2a/", "", JsonRpc),
            ("GET", "/agents/weather", "", Rest(JsonMediaType::Json)),
            ("POST", "/message:send", json, Rest(JsonMediaType::Json)),
            ("POST", "/agents/weather/message:send", "application/a2a+json", Rest(JsonMediaType::A2aJson)),
            ("POST", "/v1/message:send", json, OldRest),
            ("POST", "/agents/weather/v1/message:send", json, OldRest),
            ("GET", "/agents/weather/agent/authenticatedExtendedCard", "", OldRest),
            ("GET", "/agent/authenticatedExtendedCard", "", OldRest),
            ("GET", "/api/v1/tasks/x", "", Rest(JsonMediaType::Json)),
            ("POST", "/v1/responses", json, Responses),
            ("GET", "/agents/weather/v1/conversations/x", "", Responses),
            ("POST", "/v1/chat/completions", json, Responses),
            ("GET", "/nowhere", "", Rest(JsonMediaType::Json)),
            ("GET", "/tempo/api/search", "", Tempo),
            ("GET", "/tempo", "", Rest(JsonMediaType::Json)),
            ("POST", "/v1/traces", "application/x-protobuf", Otlp(Encoding::Protobuf)),
            ("POST", "/otlp/v1/logs", json, Otlp(Encoding::Json)),
            ("POST", "/lf.a2a.v1.A2AService/GetTask", "application/grpc", Grpc),
            ("POST", "/", "application/grpc+proto", Grpc),
        ] {
            let request = Request::builder().method(method).uri(path).header("content-type", content_type);
            assert_eq!(ErrorFormat::from_request(&request.body(()).unwrap()), expect, "{method} {path} {content_type}");
        }
    }
}
