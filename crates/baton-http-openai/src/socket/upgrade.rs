//! WebSocket handshake.

use axum::{body::Body, response::Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version, header, request::Parts};
use hyper::upgrade::OnUpgrade;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// A WebSocket upgrade request: its connection and the accept key.
pub(super) struct Upgrade {
    connection: OnUpgrade,
    accept: HeaderValue,
}

impl Upgrade {
    /// Upgrade that a request asks for; `None` if it is not a WebSocket request.
    pub(super) fn from_parts(parts: &mut Parts) -> Option<Self> {
        let headers = &parts.headers;
        let is_upgrade = parts.version == Version::HTTP_11
            && lists(headers, &header::CONNECTION, "upgrade")
            && lists(headers, &header::UPGRADE, "websocket")
            && headers.get(header::SEC_WEBSOCKET_VERSION).is_some_and(|version| version == "13");
        let key = headers.get(header::SEC_WEBSOCKET_KEY).filter(|_| is_upgrade)?;
        let accept = HeaderValue::from_str(&derive_accept_key(key.as_bytes())).ok()?;
        let connection = parts.extensions.remove::<OnUpgrade>()?;
        Some(Self { connection, accept })
    }

    /// The pending connection and the 101 reply.
    pub(super) fn accept(self) -> (OnUpgrade, Response) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, self.accept);
        (self.connection, response)
    }
}

fn lists(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|one| one.trim().eq_ignore_ascii_case(token))
}
