//! Address of this server in documents.

use crate::HttpContext;
use http::{HeaderMap, header};

/// Base URL of this server, without a trailing slash.
pub fn base_url(context: &HttpContext, headers: &HeaderMap) -> String {
    if let Some(url) = &context.options.public_url {
        return url.trim_end_matches('/').to_owned();
    }
    // The guard has already rejected unknown hosts.
    let scheme = if context.options.tls { "https" } else { "http" };
    match headers.get(header::HOST).and_then(|host| host.to_str().ok()) {
        Some(host) => format!("{scheme}://{host}"),
        None => match context.options.bound {
            Some(bound) => format!("{scheme}://{bound}"),
            None => format!("{scheme}://localhost"),
        },
    }
}
