//! Authentication challenge of a server.

use http::{HeaderMap, StatusCode, header};

/// A request of the server for a token, or for a token with more scopes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    header: Option<String>,
    scopes: Vec<String>,
    is_step_up: bool,
}

impl Challenge {
    /// The challenge in a response; `None` when a login would not help.
    pub fn from_response(status: StatusCode, headers: &HeaderMap) -> Option<Self> {
        let values = || headers.get_all(header::WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
        let is_bearer =
            |value: &&str| value.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("bearer"));
        let header = values().find(is_bearer).or_else(|| values().next());
        let is_step_up = match status {
            StatusCode::UNAUTHORIZED => false,
            StatusCode::FORBIDDEN if header.and_then(|h| parameter(h, "error")) == Some("insufficient_scope") => true,
            _ => return None,
        };
        let scopes = header.and_then(|header| parameter(header, "scope")).unwrap_or_default();
        let scopes = scopes.split_whitespace().map(str::to_owned).collect();
        Some(Self { header: header.map(str::to_owned), scopes, is_step_up })
    }

    /// The challenge of a server that sent none.
    pub(crate) fn unspecified() -> Self {
        Self { header: None, scopes: Vec::new(), is_step_up: false }
    }

    /// The raw header.
    pub(crate) fn header(&self) -> Option<&str> {
        self.header.as_deref()
    }

    /// The requested scopes.
    pub(crate) fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Whether the token is valid but lacks scopes.
    pub(crate) fn is_step_up(&self) -> bool {
        self.is_step_up
    }
}

/// The value of a parameter in a challenge, quoted or not.
fn parameter<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let lower = header.to_ascii_lowercase();
    let is_start = |at: usize| at == 0 || matches!(lower.as_bytes()[at - 1], b' ' | b',' | b'\t');
    let (at, _) = lower.match_indices(&format!("{name}=")).find(|(at, _)| is_start(*at))?;
    let value = &header[at + name.len() + 1..];
    match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split([',', ' ']).next(),
    }
}

#[cfg(test)]
mod tests {
    use super::Challenge;
    use http::{HeaderMap, StatusCode, header::WWW_AUTHENTICATE};

    #[test]
    fn challenge_exists_only_if_a_login_helps() {
        let challenge = |status: StatusCode, values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(WWW_AUTHENTICATE, value.parse().unwrap());
            }
            Challenge::from_response(status, &headers)
        };
        let plain = challenge(StatusCode::UNAUTHORIZED, &[]).unwrap();
        assert_eq!((plain.header(), plain.scopes(), plain.is_step_up()), (None, &[][..], false));
        let bearer = r#"Bearer error="insufficient_scope", error_description="scope=no", scope="a b""#;
        let first = challenge(StatusCode::UNAUTHORIZED, &["Basic realm=x", bearer]).unwrap();
        assert_eq!((first.header(), first.is_step_up()), (Some(bearer), false));
        let more = challenge(StatusCode::FORBIDDEN, &[bearer]).unwrap();
        assert_eq!((more.scopes(), more.is_step_up()), (&["a".to_owned(), "b".to_owned()][..], true));
        assert_eq!(challenge(StatusCode::FORBIDDEN, &["Bearer scope=a"]), None);
        assert_eq!(challenge(StatusCode::NOT_FOUND, &[bearer]), None);
    }
}
