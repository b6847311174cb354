//! Host and origin checks: protect against DNS rebinding and cross-origin requests from browsers.

use crate::{
    AccessOptions, CorsOrigins, HttpOptions,
    auth::RequestOrigin,
    error_codes,
    error_format::{ErrorFormats, RequestHead},
};
use axum::{extract::Request, response::Response};
use baton_api::{ApiError, ApiErrorKind};
use futures_util::future::{Either, Ready, ready};
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use std::{
    convert::Infallible,
    net::IpAddr,
    sync::Arc,
    task::{Context, Poll},
};
use tower::{Layer, Service};

/// Adds the check in front of every route.
#[derive(Clone)]
pub(crate) struct GuardLayer(Arc<HostPolicy>, ErrorFormats);

/// Service that checks host and origin.
#[derive(Clone)]
pub(crate) struct Guard<S> {
    inner: S,
    policy: Arc<HostPolicy>,
    formats: ErrorFormats,
}

struct HostPolicy {
    /// Lower-case host names without ports; `*` allows every host.
    hosts: Vec<String>,
    bound: Option<IpAddr>,
    tls: bool,
    origins: CorsOrigins,
    access: AccessOptions,
}

impl GuardLayer {
    pub(crate) fn new(options: &HttpOptions, formats: ErrorFormats) -> Self {
        let mut hosts: Vec<String> =
            options.allow_hosts.iter().map(|host| host_of(host).to_ascii_lowercase()).collect();
        let public = options.public_url.as_deref().and_then(|url| url.parse::<Uri>().ok());
        hosts.extend(public.as_ref().and_then(Uri::host).map(str::to_ascii_lowercase));
        let bound = options.bound.map(|address| address.ip());
        let (origins, access) = (options.cors_origins.clone(), options.access.clone());
        Self(Arc::new(HostPolicy { hosts, bound, tls: options.tls, origins, access }), formats)
    }
}

impl<S> Layer<S> for GuardLayer {
    type Service = Guard<S>;

    fn layer(&self, inner: S) -> Guard<S> {
        Guard { inner, policy: Arc::clone(&self.0), formats: self.1.clone() }
    }
}

impl<S: Service<Request, Response = Response, Error = Infallible>> Service<Request> for Guard<S> {
    type Response = Response;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<Response, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        // Probes are sent to an IP address, without a host name.
        let probe = matches!(request.uri().path(), "/healthz" | "/health" | "/readyz");
        match check_repeated(request.headers()).and_then(|()| match probe {
            true => Ok(()),
            false => self.policy.check(request.uri(), request.headers()).map_err(forbidden),
        }) {
            Ok(()) => Either::Left(self.inner.call(request)),
            Err(error) => {
                RequestOrigin::from_request(&request).log_denial(&self.policy.access, error.code, &error.message, None);
                let refusal = self.formats.guard_response(RequestHead::from_request(&request), &error);
                Either::Right(ready(Ok(refusal)))
            }
        }
    }
}

fn forbidden(message: String) -> ApiError {
    ApiError::new(ApiErrorKind::Forbidden, error_codes::FORBIDDEN_HOST, message)
}

/// Headers that determine host, origin, caller and body. A proxy may use the first of two values and Baton the last.
const SINGLE_HEADERS: [HeaderName; 5] =
    [header::HOST, header::ORIGIN, header::AUTHORIZATION, header::CONTENT_LENGTH, header::CONTENT_TYPE];

/// Rejects requests that repeat one of these headers.
fn check_repeated(headers: &HeaderMap) -> Result<(), ApiError> {
    let repeated = |name: &&HeaderName| headers.get_all(*name).iter().nth(1).is_some();
    match SINGLE_HEADERS.iter().find(repeated) {
        None => Ok(()),
        Some(name) => {
            let message = format!("the request has the header {name} more than once");
            Err(ApiError::new(ApiErrorKind::InvalidRequest, error_codes::REPEATED_HEADER, message))
        }
    }
}

impl HostPolicy {
    fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), String> {
        let host = headers.get(header::HOST).map(HeaderValue::to_str);
        let authority = match (host, uri.authority()) {
            (Some(Ok(host)), _) => host,
            (None, Some(authority)) => authority.as_str(),
            _ => return Err("the request names no host".to_owned()),
        };
        if !self.is_own_host(host_of(authority)) {
            return Err(format!("the host name '{}' is not allowed", host_of(authority)));
        }
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
        if self.origins.allow(origin) {
            return Ok(());
        }
        match origin.to_str().ok().and_then(|origin| origin.split_once("://")) {
            // A page loaded without TLS may have been modified in transit.
            Some((scheme, page))
                if page.eq_ignore_ascii_case(authority) && (!self.tls || scheme.eq_ignore_ascii_case("https")) =>
            {
                Ok(())
            }
            Some((_, page)) if self.is_allowed_host(host_of(page)) => Ok(()),
            _ => Err(format!("the origin {origin:?} is not allowed")),
        }
    }

    fn is_allowed_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(host))
    }

    fn is_own_host(&self, host: &str) -> bool {
        if host.eq_ignore_ascii_case("localhost") || self.is_allowed_host(host) {
            return true;
        }
        // Unlike a name, an IP address cannot be rebound.
        let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() else { return false };
        let reached = self.bound.is_some_and(|bound| bound == address || bound.is_unspecified());
        address.is_loopback() || reached
    }
}

/// Host part of `host`, `host:port` or `[address]:port`.
fn host_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !is_bare_v6(host) => host,
        _ => authority,
    }
}

fn is_bare_v6(host: &str) -> bool {
    host.contains(':') && !host.ends_with(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_origins() {
        let options = HttpOptions {
            bound: "192.168.1.5:8700".parse().ok(),
            public_url: Some("https://agents.example.com/base".to_owned()),
            allow_hosts: vec!["Studio.local:9000".to_owned()],
            cors_origins: CorsOrigins::parse(&["https://app.example.com"], false).unwrap(),
            ..HttpOptions::default()
        };
        let guard = GuardLayer::new(&options, ErrorFormats::new(Vec::new()));
        for (host, origin, expect) in [
            (Some("localhost:8700"), None, true),
            (Some("LOCALHOST"), None, true),
            (Some("127.0.0.1:8700"), None, true),
            (Some("127.9.9.9"), None, true),
            (Some("[::1]:8700"), None, true),
            (Some("192.168.1.5:8700"), None, true),
            (Some("192.168.1.6:8700"), None, false),
            (Some("agents.example.com"), None, true),
            (Some("studio.local"), None, true),
            (Some("evil.example.com"), None, false),
            (Some("localhost.evil.example.com"), None, false),
            (Some(""), None, false),
            (None, None, false),
            (Some("localhost:8700"), Some("http://localhost:8700"), true),
            (Some("localhost:8700"), Some("http://localhost:5173"), false),
            (Some("localhost:8700"), Some("https://studio.local"), true),
            (Some("localhost:8700"), Some("https://evil.example.com"), false),
            (Some("localhost:8700"), Some("null"), false),
            (Some("localhost:8700"), Some("https://app.example.com"), true),
            (Some("localhost:8700"), Some("http://app.example.com"), false),
            (Some("localhost:8700"), Some("https://app.example.com:8443"), false),
            (Some("evil.example.com"), Some("https://app.example.com"), false),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in [(header::HOST, host), (header::ORIGIN, origin)] {
                if let Some(value) = value {
                    headers.insert(name, value.parse().unwrap());
                }
            }
            let checked = guard.0.check(&Uri::from_static("/"), &headers);
            assert_eq!(checked.is_ok(), expect, "{host:?} {origin:?} {checked:?}");
        }
    }

    #[test]
    fn single_value_headers_must_not_repeat() {
        for (name, expect) in [
            ("host", false),
            ("origin", false),
            ("authorization", false),
            ("content-length", false),
            ("content-type", false),
            ("accept", true),
            ("x-forwarded-for", true),
        ] {
            let mut headers = HeaderMap::new();
            let name = HeaderName::from_static(name);
            headers.append(name.clone(), HeaderValue::from_static("1"));
            assert!(check_repeated(&headers).is_ok(), "{name}");
            headers.append(name.clone(), HeaderValue::from_static("1"));
            assert_eq!(check_repeated(&headers).is_ok(), expect, "{name}");
        }
    }

    #[test]
    fn tls_server_accepts_only_https_origins() {
        let guard =
            GuardLayer::new(&HttpOptions { tls: true, ..HttpOptions::default() }, ErrorFormats::new(Vec::new()));
        for (origin, expect) in [("https://localhost", true), ("http://localhost", false)] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("localhost"));
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            assert_eq!(guard.0.check(&Uri::from_static("/"), &headers).is_ok(), expect, "{origin}");
        }
    }
}
