//! Rules for redirects and the headers that are sent along.

use crate::{OutboundError, Target};
use http::{HeaderMap, HeaderName, Method, StatusCode, header};

/// Headers that are always secret, even if not marked sensitive.
const SECRET_HEADERS: [HeaderName; 3] = [header::AUTHORIZATION, header::COOKIE, header::PROXY_AUTHORIZATION];

/// Target of a redirect; `None` if the reply is no redirect.
///
/// Only 307 and 308 preserve method and body. 301 to 303 would turn a POST into a GET, so they are errors unless the
/// request is a GET or HEAD. A redirect from https to http is an error, because it would expose the body.
pub(crate) fn next_target(
    from: &Target,
    method: &Method,
    status: StatusCode,
    headers: &HeaderMap,
) -> Result<Option<Target>, OutboundError> {
    let refuse = |reason: String| OutboundError::Redirect { target: from.to_string(), status: status.as_u16(), reason };
    match status.as_u16() {
        307 | 308 => {}
        301..=303 if matches!(*method, Method::GET | Method::HEAD) => {}
        301..=303 => return Err(refuse("does not keep the method; answer 307 or 308 instead".to_owned())),
        _ => return Ok(None),
    }
    let location = headers.get(header::LOCATION).ok_or_else(|| refuse("has no Location header".to_owned()))?;
    let location = location.to_str().map_err(|_| refuse("has an invalid Location header".to_owned()))?;
    let to = match Target::parse(&resolve_location(from, location)) {
        Ok(to) => to,
        Err(OutboundError::Url(reason)) => return Err(refuse(format!("has a Location URL that {reason}"))),
        Err(other) => return Err(other),
    };
    if from.is_secure() && !to.is_secure() {
        return Err(refuse("leads from https to http".to_owned()));
    }
    Ok(Some(to))
}

/// Removes the headers that only the first origin may receive.
pub(crate) fn drop_secrets(headers: &mut HeaderMap) {
    let secret: Vec<HeaderName> = secrets(headers).cloned().collect();
    for name in secret {
        headers.remove(name);
    }
}

/// Whether there are headers that only the first origin may receive.
pub(crate) fn has_secrets(headers: &HeaderMap) -> bool {
    secrets(headers).next().is_some()
}

fn secrets(headers: &HeaderMap) -> impl Iterator<Item = &HeaderName> {
    headers.iter().filter(|(name, value)| value.is_sensitive() || SECRET_HEADERS.contains(name)).map(|(name, _)| name)
}

/// Resolves a location against the current URL.
pub(crate) fn resolve_location(from: &Target, location: &str) -> String {
    let location = location.split('#').next().unwrap_or_default();
    let scheme = if from.is_secure() { "https" } else { "http" };
    let authority = from.uri().authority().map_or("", |authority| authority.as_str());
    let path = from.uri().path();
    let folder = path.rfind('/').map_or("/", |end| &path[..=end]);
    let first = location.split(['/', '?']).next().unwrap_or_default();
    if first.contains(':') {
        location.to_owned()
    } else if location.starts_with("//") {
        format!("{scheme}:{location}")
    } else if location.starts_with('/') {
        format!("{scheme}://{authority}{location}")
    } else if location.starts_with('?') {
        format!("{scheme}://{authority}{path}{location}")
    } else {
        format!("{scheme}://{authority}{folder}{location}")
    }
}
