//! A complete response as text.

use axum::body::Body;
use http::Response;
use http_body_util::BodyExt as _;
use std::fmt::Write as _;
use tonic::Status;

/// Status, headers, body and trailers as text; gRPC status details are decoded, so that ids in them can be found.
pub(super) async fn response_text(response: Response<Body>) -> String {
    let (parts, body) = response.into_parts();
    let collected = body.collect().await.unwrap();
    let trailers = collected.trailers().cloned();
    let body = collected.to_bytes();
    let mut text = format!("{}\n", parts.status.as_u16());
    for headers in [Some(parts.headers), trailers].into_iter().flatten() {
        let mut lines: Vec<String> = Vec::new();
        for (name, value) in &headers {
            match name.as_str() {
                "grpc-status-details-bin" | "grpc-message" | "grpc-status" => {}
                name => lines.push(format!("{name}: {}", String::from_utf8_lossy(value.as_bytes()))),
            }
        }
        if let Some(status) = Status::from_header_map(&headers) {
            let details = String::from_utf8_lossy(status.details()).into_owned();
            lines.push(format!("{:?}: {} {details}", status.code(), status.message()));
        }
        lines.sort();
        let _ = writeln!(text, "{}", lines.join("\n"));
    }
    let _ = write!(text, "\n{}", String::from_utf8_lossy(&body));
    text
}
