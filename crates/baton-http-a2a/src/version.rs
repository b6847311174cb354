//! Protocol version of a request.

use crate::{VersionRule, error_codes};
use baton_wire::a2a::v1::{Error, ErrorKind};
use http::{HeaderMap, Uri};

/// A supported protocol version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum A2aVersion {
    /// 1.0, which has distinct method names and paths.
    V1,
    /// 0.3, also used for 0.2.
    V03,
}

/// Rejects a request whose declared version differs from the version of its method name, path or service.
///
/// The version is in the `A2A-Version` header, metadata or query parameter; its patch number is ignored.
pub(super) fn check(
    headers: &HeaderMap,
    uri: Option<&Uri>,
    protocol_version: A2aVersion,
    rule: VersionRule,
) -> Result<(), Error> {
    match requested(headers, uri) {
        Some(version) => match (parse_version(version), protocol_version) {
            (Some(declared), protocol_version) if declared == protocol_version => Ok(()),
            (Some(_), A2aVersion::V1) => Err(refuse(&format!(
                "this operation belongs to A2A 1.0, but A2A-Version is {version}; send A2A-Version: 1.0"
            ))),
            (Some(_), A2aVersion::V03) => Err(refuse(&format!(
                "this operation belongs to A2A 0.3, but A2A-Version is {version}; use the names of {version}"
            ))),
            (None, _) => Err(refuse(&format!("A2A {version} is not supported; this agent supports 1.0 and 0.3"))),
        },
        None if rule == VersionRule::Strict && protocol_version == A2aVersion::V1 => {
            Err(refuse("a request without A2A-Version uses 0.3, which has no such operation; send A2A-Version: 1.0"))
        }
        None => Ok(()),
    }
}

/// Version that a request declares, if any.
pub(crate) fn requested<'a>(headers: &'a HeaderMap, uri: Option<&'a Uri>) -> Option<&'a str> {
    let header = headers.get("a2a-version").map(|value| value.to_str().unwrap_or("unreadable").trim());
    header.filter(|version| !version.is_empty()).or_else(|| uri.and_then(query))
}

fn query(uri: &Uri) -> Option<&str> {
    let pairs = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .filter(|(name, value)| name.eq_ignore_ascii_case("a2a-version") && !value.is_empty())
        .map(|(_, value)| value)
        .next()
}

fn parse_version(version: &str) -> Option<A2aVersion> {
    [("1.0", A2aVersion::V1), ("0.3", A2aVersion::V03), ("0.2", A2aVersion::V03)].into_iter().find_map(
        |(name, known)| {
            let rest = version.strip_prefix(name)?;
            let patch = rest.strip_prefix('.').is_some_and(|patch| patch.parse::<u32>().is_ok());
            (rest.is_empty() || patch).then_some(known)
        },
    )
}

fn refuse(message: &str) -> Error {
    let shown: String = message.chars().take(200).collect();
    Error::new(ErrorKind::VersionNotSupported, error_codes::VERSION_UNKNOWN, shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        use A2aVersion::{V1, V03};
        use VersionRule::{ByMethod, Strict};
        for (header, uri, spoken, rule, expect) in [
            (Some("1.0"), "/", V1, Strict, true),
            (Some("1.0.1"), "/", V1, Strict, true),
            (Some(" 1.0 "), "/", V1, Strict, true),
            (Some("1.1"), "/", V1, ByMethod, false),
            (Some("1.0x"), "/", V1, ByMethod, false),
            (Some("99.0"), "/", V1, ByMethod, false),
            (Some("99.0"), "/", V03, ByMethod, false),
            (Some("0.3"), "/", V1, ByMethod, false),
            (Some("0.3"), "/", V03, Strict, true),
            (Some("0.3.0"), "/", V03, ByMethod, true),
            (Some("0.2.6"), "/", V03, ByMethod, true),
            (Some("1.0"), "/", V03, ByMethod, false),
            (Some(""), "/", V1, ByMethod, true),
            (Some(""), "/", V1, Strict, false),
            (None, "/", V1, ByMethod, true),
            (None, "/", V1, Strict, false),
            (None, "/", V03, Strict, true),
            (None, "/?A2A-Version=1.0", V1, Strict, true),
            (None, "/?a=b&a2a-version=9", V1, ByMethod, false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(header) = header {
                headers.insert("a2a-version", header.parse().unwrap());
            }
            let checked = check(&headers, Some(&Uri::from_static(uri)), spoken, rule);
            assert_eq!(checked.is_ok(), expect, "{header:?} {uri} {spoken:?} {rule:?} {checked:?}");
        }
    }
}
