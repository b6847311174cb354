//! Errors of A2A requests that are rejected before they are read, in the format of their binding and dialect.

use crate::{
    error::from_api,
    grpc,
    reply::{self, JsonMediaType},
};
use axum::response::Response;
use baton_api::ApiError;
use baton_http::{ErrorFormat, RequestHead};
use baton_proto::status;
use http::Method;

/// Errors for A2A clients; also for requests that belong to no protocol.
pub struct A2aErrors;

impl ErrorFormat for A2aErrors {
    fn error_response(&self, head: RequestHead<'_>, error: &ApiError) -> Option<Response> {
        let error = from_api(error.clone());
        Some(match A2aFormat::from_head(head) {
            A2aFormat::JsonRpc => reply::rpc_error(None, &error),
            A2aFormat::Rest(media) => reply::rest_error_as(&error, media),
            A2aFormat::OldRest => reply::old_rest_error(&error),
            A2aFormat::Grpc => status(&error).into_http(),
        })
    }

    fn unknown_path(&self, head: RequestHead<'_>) -> Option<Response> {
        head.is_grpc().then(|| grpc::unknown_method(head.uri.path()))
    }
}

/// Binding and dialect of a request, as far as they are known before its body is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum A2aFormat {
    JsonRpc,
    Rest(JsonMediaType),
    OldRest,
    Grpc,
}

impl A2aFormat {
    fn from_head(head: RequestHead<'_>) -> Self {
        if head.is_grpc() {
            return Self::Grpc;
        }
        let path = head.uri.path();
        let relative_path = match path.strip_prefix("/agents/") {
            Some(below) => below.split_once('/').map_or("", |(_agent, relative_path)| relative_path),
            None => path.trim_start_matches('/'),
        };
        match relative_path {
            "" | "a2a" | "a2a/" if *head.method == Method::POST => Self::JsonRpc,
            "agent/authenticatedExtendedCard" => Self::OldRest,
            relative_path if relative_path.starts_with("v1/") => Self::OldRest,
            _ => Self::Rest(JsonMediaType::from_headers(head.headers)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    #[test]
    fn path_selects_the_error_format() {
        use A2aFormat::{Grpc, JsonRpc, OldRest, Rest};
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
            ("GET", "/nowhere", "", Rest(JsonMediaType::Json)),
            ("GET", "/tempo", "", Rest(JsonMediaType::Json)),
            ("POST", "/lf.a2a.v1.A2AService/GetTask", "application/grpc", Grpc),
            ("POST", "/", "application/grpc+proto", Grpc),
        ] {
            let request = Request::builder().method(method).uri(path).header("content-type", content_type);
            let request = request.body(()).unwrap();
            let format = A2aFormat::from_head(RequestHead::from_request(&request));
            assert_eq!(format, expect, "{method} {path} {content_type}");
        }
    }
}
