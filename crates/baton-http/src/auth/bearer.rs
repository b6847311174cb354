//! Bearer token of a request.

use super::AccessOptions;
use baton_types::Digest;
use http::{HeaderMap, header};

/// Reason that a request has no usable bearer token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BearerError {
    /// The request has no credentials.
    Missing,
    /// The request has several `Authorization` headers, so the choice would be ambiguous.
    Several,
    /// The scheme is not supported.
    OtherScheme,
    /// The text after the scheme is not a valid token.
    Malformed,
}

impl BearerError {
    /// Error message for the caller.
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Missing => "the request has no token",
            Self::Several => "the request has more than one Authorization header",
            Self::OtherScheme => "the Authorization header does not use the Bearer scheme",
            Self::Malformed => "the Authorization header has no readable token",
        }
    }
}

/// Whether the request carries the owner's token.
pub fn has_owner_token(access: &AccessOptions, headers: &HeaderMap) -> bool {
    let Some(owner) = &access.owner else { return true };
    // Comparing digests does not leak by timing how much of a token matched.
    bearer(headers).is_ok_and(|token| Digest::compute(token.as_bytes()) == *owner)
}

/// Bearer token of a request; gRPC uses the metadata key of the same name.
pub(super) fn bearer(headers: &HeaderMap) -> Result<&str, BearerError> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Err(BearerError::Missing) };
    if values.next().is_some() {
        return Err(BearerError::Several);
    }
    let text = value.to_str().map_err(|_| BearerError::Malformed)?.trim_matches(' ');
    if text.is_empty() {
        return Err(BearerError::Missing);
    }
    let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(BearerError::OtherScheme);
    }
    let token = token.trim_start_matches(' ');
    if is_token68(token) { Ok(token) } else { Err(BearerError::Malformed) }
}

/// Whether the text is a `token68` of HTTP authentication.
fn is_token68(token: &str) -> bool {
    let body = token.trim_end_matches('=');
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
    !body.is_empty() && body.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authorization_header_is_parsed() {
        use BearerError::{Malformed, Missing, OtherScheme, Several};
        for (given, expect) in [
            (&[][..], Err(Missing)),
            (&[""], Err(Missing)),
            (&["  "], Err(Missing)),
            (&["Bearer abc"], Ok("abc")),
            (&["bearer abc"], Ok("abc")),
            (&["BEARER   abc"], Ok("abc")),
            (&[" Bearer abc "], Ok("abc")),
            (&["Bearer btn_a1_B-._~+/9=="], Ok("btn_a1_B-._~+/9==")),
            (&["Bearer"], Err(Malformed)),
            (&["Bearer "], Err(Malformed)),
            (&["Bearer =="], Err(Malformed)),
            (&["Bearer a b"], Err(Malformed)),
            (&["Bearer a,b"], Err(Malformed)),
            (&["Bearer a=b"], Err(Malformed)),
            (&["Bearer \"abc\""], Err(Malformed)),
            (&["Bearer\tabc"], Err(OtherScheme)),
            (&["Bearer t\u{f6}ken"], Err(Malformed)),
            (&["Bearerabc"], Err(OtherScheme)),
            (&["abc"], Err(OtherScheme)),
            (&["Basic YTpi"], Err(OtherScheme)),
            (&["Bearer abc", "Bearer abc"], Err(Several)),
            (&["Bearer abc", "Basic YTpi"], Err(Several)),
        ] {
            let mut headers = HeaderMap::new();
            for value in given {
                headers.append(header::AUTHORIZATION, http::HeaderValue::from_bytes(value.as_bytes()).unwrap());
            }
            assert_eq!(bearer(&headers), expect, "{given:?}");
        }
    }
}
