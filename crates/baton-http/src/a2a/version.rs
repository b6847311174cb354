//! Which protocol version a request speaks.

use crate::VersionRule;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind, PROTOCOL_VERSION};
use http::request::Parts;

/// The version is in the `A2A-Version` header or query parameter; its patch number does not matter.
pub(super) fn check(parts: &Parts, known_method: bool, rule: VersionRule) -> Result<(), Error> {
    let header = parts.headers.get("a2a-version").map(|value| value.to_str().unwrap_or("unreadable").trim());
    let given = header.filter(|version| !version.is_empty()).or_else(|| query(parts));
    match given {
        Some(version) if is_supported(version) => Ok(()),
        Some(version) => {
            Err(refuse(&format!("A2A {version} is not spoken here; this agent speaks {PROTOCOL_VERSION}")))
        }
        None if rule == VersionRule::Strict && known_method => {
            let message = "a request without A2A-Version speaks 0.3, which has no such method; send A2A-Version: 1.0";
            Err(refuse(message))
        }
        None => Ok(()),
    }
}

fn query(parts: &Parts) -> Option<&str> {
    let pairs = parts.uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .filter(|(name, value)| name.eq_ignore_ascii_case("a2a-version") && !value.is_empty())
        .map(|(_, value)| value)
        .next()
}

fn is_supported(version: &str) -> bool {
    match version.strip_prefix(PROTOCOL_VERSION) {
        Some("") => true,
        Some(patch) => patch.strip_prefix('.').is_some_and(|patch| patch.parse::<u32>().is_ok()),
        None => false,
    }
}

fn refuse(message: &str) -> Error {
    let shown: String = message.chars().take(200).collect();
    Error::new(ErrorKind::VersionNotSupported, ErrorCode::INVALID_REQUEST, shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    #[test]
    fn versions() {
        use VersionRule::{ByMethod, Strict};
        for (header, uri, rule, expect) in [
            (Some("1.0"), "/", Strict, true),
            (Some("1.0.1"), "/", Strict, true),
            (Some(" 1.0 "), "/", Strict, true),
            (Some("1.1"), "/", ByMethod, false),
            (Some("1.0x"), "/", ByMethod, false),
            (Some("0.9"), "/", ByMethod, false),
            (Some("0.3"), "/", ByMethod, false),
            (Some("99.0"), "/", ByMethod, false),
            (Some("é"), "/", ByMethod, false),
            (Some(""), "/", ByMethod, true),
            (None, "/", ByMethod, true),
            (None, "/", Strict, false),
            (None, "/?A2A-Version=1.0", Strict, true),
            (None, "/?x=1&A2A-Version=2.0", ByMethod, false),
        ] {
            let mut request = Request::builder().uri(uri);
            if let Some(version) = header {
                request = request.header("A2A-Version", version.as_bytes());
            }
            let (parts, ()) = request.body(()).unwrap().into_parts();
            assert_eq!(check(&parts, true, rule).is_ok(), expect, "{header:?} {uri} {rule:?}");
        }
    }
}
