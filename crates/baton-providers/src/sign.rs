//! AWS Signature Version 4 with a key pair.

use crate::{Secret, log_suppressor::without_logging, protocol::SigningScope};
use aws_credential_types::Credentials;
use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SigningSettings, sign},
    sign::v4,
};
use baton_types::{Clock, Timestamp};
use http::{HeaderMap, HeaderName, HeaderValue, Method, header::CONTENT_TYPE};
use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime},
};

/// An AWS key pair; temporary pairs have a session token.
#[derive(Clone, Debug)]
pub struct KeyPair {
    id: Secret,
    secret: Secret,
    token: Option<Secret>,
}

impl KeyPair {
    /// Creates a pair from the access key id and the secret access key.
    pub fn new(id: Secret, secret: Secret) -> Self {
        Self { id, secret, token: None }
    }

    /// Adds a session token.
    #[must_use]
    pub fn with_token(mut self, token: Secret) -> Self {
        self.token = Some(token);
        self
    }

    pub(crate) fn secrets(&self) -> impl Iterator<Item = &Secret> {
        [&self.id, &self.secret].into_iter().chain(&self.token)
    }
}

/// Key pair, and the clock that dates signatures.
#[derive(Clone)]
pub(crate) struct Signer {
    pub(crate) pair: KeyPair,
    pub(crate) clock: Arc<dyn Clock>,
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("pair", &self.pair).finish_non_exhaustive()
    }
}

/// A request that cannot be signed: a header, the body or the address is unsuitable.
#[derive(Debug)]
pub(crate) struct SigningError;

impl Signer {
    /// Signs a request before it is sent; existing headers of the same name are replaced.
    pub(crate) fn sign(&self, scope: SigningScope<'_>, request: &mut reqwest::Request) -> Result<(), SigningError> {
        let body = request.body().map(|body| body.as_bytes().ok_or(SigningError)).transpose()?.unwrap_or_default();
        let input = SignatureInput { method: request.method(), url: request.url(), headers: request.headers(), body };
        let signed = signature_headers(&self.pair, scope, self.clock.now(), &input)?;
        for (name, value) in signed {
            let mut value = HeaderValue::try_from(value).map_err(|_| SigningError)?;
            value.set_sensitive(true);
            request.headers_mut().insert(HeaderName::from_static(name), value);
        }
        Ok(())
    }
}

/// Signed parts of a request.
struct SignatureInput<'a> {
    method: &'a Method,
    url: &'a reqwest::Url,
    headers: &'a HeaderMap,
    body: &'a [u8],
}

/// Headers of the signature.
fn signature_headers(
    pair: &KeyPair,
    scope: SigningScope<'_>,
    now: Timestamp,
    input: &SignatureInput<'_>,
) -> Result<Vec<(&'static str, String)>, SigningError> {
    let token = pair.token.as_ref().map(|token| token.reveal().to_owned());
    let identity = Credentials::new(pair.id.reveal(), pair.secret.reveal(), token, None, "baton").into();
    let millis = u64::try_from(now.as_millis()).unwrap_or_default();
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(scope.region)
        .name(scope.service)
        .time(SystemTime::UNIX_EPOCH + Duration::from_millis(millis))
        .settings(SigningSettings::default())
        .build()
        .map_err(|_| SigningError)?
        .into();
    let host = host(input.url);
    // Only these headers are signed; a gateway may change the others in transit.
    let is_signed = |name: &HeaderName| *name == CONTENT_TYPE || name.as_str().starts_with("x-amz-");
    let signed_headers = input.headers.iter().filter(|(name, _)| is_signed(name));
    let signed_headers = signed_headers.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    // The library logs the signed data, and a signature stays valid for some minutes.
    without_logging(|| {
        let request = SignableRequest::new(
            input.method.as_str(),
            input.url.as_str(),
            signed_headers.chain([("host", host.as_str())]),
            SignableBody::Bytes(input.body),
        );
        let signed = request.and_then(|request| sign(request, &params)).map_err(|_| SigningError)?;
        let (signed, _) = signed.into_parts();
        let (headers, _) = signed.into_parts();
        Ok(headers.into_iter().map(|header| (header.name(), header.value().to_owned())).collect())
    })
}

/// Value of the `Host` header.
fn host(url: &reqwest::Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Session token of the published examples.
    const TOKEN: &str = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

    /// Signature of a request to the service of the published examples, with its list of signed headers.
    fn signature(method: &Method, path: &str, content_type: Option<&str>, body: &str, token: Option<&str>) -> String {
        let mut pair =
            KeyPair::new(Secret::new("AKIDEXAMPLE"), Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"));
        if let Some(token) = token {
            pair = pair.with_token(Secret::new(token));
        }
        let url = format!("https://example.amazonaws.com{path}").parse().expect("an address");
        let mut given = HeaderMap::new();
        given.insert("user-agent", HeaderValue::from_static("changes on the way"));
        if let Some(content_type) = content_type {
            given.insert(CONTENT_TYPE, content_type.parse().expect("a type"));
        }
        let what = SignatureInput { method, url: &url, headers: &given, body: body.as_bytes() };
        let scope = SigningScope { region: "us-east-1", service: "service" };
        let now = Timestamp::parse("2015-08-30T12:36:00Z").expect("a moment");
        let signed = signature_headers(&pair, scope, now, &what).expect("signed");
        let header = |wanted: &str| signed.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.as_str());
        assert_eq!(header("x-amz-date"), Some("20150830T123600Z"));
        assert_eq!(header("x-amz-security-token"), token);
        let scope = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=";
        header("authorization").and_then(|value| value.strip_prefix(scope)).expect("a signature").to_owned()
    }

    #[test]
    fn signatures_match_the_published_examples() {
        let form = Some("application/x-www-form-urlencoded");
        let cases = [
            (
                signature(&Method::GET, "/", None, "", None),
                "host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
            ),
            (
                signature(&Method::GET, "/?Param2=value2&Param1=value1", None, "", None),
                "host;x-amz-date, Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
            (
                signature(&Method::POST, "/", None, "", None),
                "host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
            ),
            (
                signature(&Method::POST, "/", form, "Param1=value1", None),
                "content-type;host;x-amz-date, Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ),
            (
                signature(&Method::POST, "/", None, "", Some(TOKEN)),
                "host;x-amz-date;x-amz-security-token, Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
            ),
        ];
        for (signed, published) in cases {
            assert_eq!(signed, published);
        }
    }

    #[test]
    fn host_matches_the_host_header() {
        for (url, said) in [("https://a.example/x", "a.example"), ("http://127.0.0.1:8080", "127.0.0.1:8080")] {
            assert_eq!(host(&url.parse().expect("an address")), said);
        }
    }
}
