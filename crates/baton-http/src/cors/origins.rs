//! Allowed CORS origins.

use http::{HeaderValue, Uri};

/// Maximum length of the list.
const MAX_ORIGINS: usize = 256;

/// Web origins that may call, in addition to the server's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorsOrigins {
    /// Only these, in the form that browsers send.
    Listed(Vec<HeaderValue>),
    /// Any origin. Callers still need a token.
    All,
}

/// Error in a list of origins.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CorsError {
    /// `*` without authentication would open the server to every web page.
    #[error("'*' would let every web page use this Baton; turn authentication on, or list the origins")]
    AllWithoutAuthentication,
    /// The value is not an origin.
    #[error("'{origin}' is not an origin: {reason}")]
    NotAnOrigin {
        /// The given value.
        origin: String,
        /// The reason.
        reason: &'static str,
    },
    /// The list is too long.
    #[error("{0} origins are listed; at most {MAX_ORIGINS} can be")]
    TooMany(usize),
}

impl Default for CorsOrigins {
    fn default() -> Self {
        Self::Listed(Vec::new())
    }
}

impl CorsOrigins {
    /// Parses a list of origins, each `scheme://host[:port]`. `*` allows every origin and requires authentication.
    pub fn parse(list: &[impl AsRef<str>], auth_on: bool) -> Result<Self, CorsError> {
        if list.len() > MAX_ORIGINS {
            return Err(CorsError::TooMany(list.len()));
        }
        let mut listed = Vec::with_capacity(list.len());
        let mut all = false;
        for origin in list.iter().map(AsRef::as_ref) {
            match origin {
                "*" if auth_on => all = true,
                "*" => return Err(CorsError::AllWithoutAuthentication),
                _ => listed.push(normalize_origin(origin)?),
            }
        }
        Ok(if all { Self::All } else { Self::Listed(listed) })
    }

    /// Whether pages of this origin may call.
    pub(crate) fn allow(&self, origin: &HeaderValue) -> bool {
        match self {
            Self::Listed(listed) => listed.contains(origin),
            Self::All => true,
        }
    }
}

/// The origin in the form that browsers send: lower case, without the default port of the scheme.
fn normalize_origin(origin: &str) -> Result<HeaderValue, CorsError> {
    let refuse = |reason| CorsError::NotAnOrigin { origin: origin.chars().take(200).collect(), reason };
    let Some((scheme, rest)) = origin.split_once("://") else {
        return Err(refuse("write scheme://host or scheme://host:port"));
    };
    if rest.contains('*') {
        return Err(refuse("'*' must stand alone; list each host"));
    }
    if rest.contains(['/', '?', '#']) {
        return Err(refuse("it must end after the host and port, without a path or a slash"));
    }
    if rest.contains('@') {
        return Err(refuse("it must not contain a user name"));
    }
    if !rest.is_ascii() {
        return Err(refuse("write the host as browsers send it, in its xn-- form"));
    }
    let uri: Uri = origin.parse().map_err(|_| refuse("it cannot be read"))?;
    let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(|| refuse("it has no host"))?;
    if uri.authority().is_some_and(|authority| authority.as_str().len() > host.len()) && uri.port_u16().is_none() {
        return Err(refuse("its port is not a number up to 65535"));
    }
    let scheme = scheme.to_ascii_lowercase();
    let implied = matches!((scheme.as_str(), uri.port_u16()), ("http", Some(80)) | ("https", Some(443)));
    let port = uri.port_u16().filter(|_| !implied).map(|port| format!(":{port}")).unwrap_or_default();
    HeaderValue::from_str(&format!("{scheme}://{}{port}", host.to_ascii_lowercase()))
        .map_err(|_| refuse("it cannot be read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_exact_or_refused_with_the_reason() {
        let mut seen = String::new();
        for origin in [
            "https://app.example.com",
            "HTTPS://App.Example.com:443",
            "http://localhost:80",
            "http://localhost:5173",
            "https://localhost:80",
            "http://[::1]:3000",
            "tauri://localhost",
            "*",
            "null",
            "app.example.com",
            "https://app.example.com/",
            "https://app.example.com/page?x#y",
            "https://*.example.com",
            "https://me@example.com",
            "https://bücher.example",
            "https://",
            "https://:8080",
            "https://app.example.com:99999",
            "https://app.example.com:",
            "https://app.example.com https://other.example.com",
        ] {
            let said = match CorsOrigins::parse(&[origin], false) {
                Ok(CorsOrigins::Listed(listed)) => format!("{origin}: {}", listed[0].to_str().unwrap()),
                Ok(CorsOrigins::All) => format!("{origin}: all"),
                Err(error) => error.to_string(),
            };
            seen.push_str(&said);
            seen.push('\n');
        }
        insta::assert_snapshot!(seen);
    }

    #[test]
    fn every_origin_needs_authentication() {
        assert_eq!(CorsOrigins::parse(&["https://a.example", "*"], true), Ok(CorsOrigins::All));
        assert_eq!(CorsOrigins::parse(&["https://a.example", "*"], false), Err(CorsError::AllWithoutAuthentication));
        assert_eq!(CorsOrigins::parse(&[""; 0], false), Ok(CorsOrigins::default()));
        assert_eq!(CorsOrigins::parse(&vec!["https://a.example"; 257], true), Err(CorsError::TooMany(257)));
    }
}
