//! Who may come, and how: authentication, TLS, web pages of other origins, and how often.

use super::raw::{Cards, Issuer, Metrics, RawAuth, RawLimits, RawTls};
use crate::failure::Failure;
use baton_http::CorsOrigins;
use baton_types::ErrorCode;
use std::path::{Path, PathBuf};

/// What one caller may ask of a Baton with authentication, unless the configuration says otherwise.
const USUAL_RATE: Rate = Rate { per_second: 50, burst: 200 };

/// Who must be known, and by whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Auth {
    /// Whether callers must show a token.
    pub(crate) required: bool,
    /// Who may read agent cards.
    pub(crate) cards: Cards,
    /// Who may read the meters.
    pub(crate) metrics: Metrics,
    /// Whose JSON Web Tokens are accepted besides the tokens made here.
    pub(crate) issuers: Vec<Issuer>,
}

/// Certificate and key of the server, and who signs those of its callers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tls {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
    pub(crate) client_ca: Option<PathBuf>,
}

/// How often one caller may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// Requests per second in the long run.
    pub(crate) per_second: u32,
    /// Requests at once after a pause.
    pub(crate) burst: u32,
}

/// What the flags say about all of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChosenAccess {
    pub(crate) auth: Option<bool>,
    pub(crate) tls_cert: Option<PathBuf>,
    pub(crate) tls_key: Option<PathBuf>,
    pub(crate) cors_origins: Vec<String>,
}

impl ChosenAccess {
    pub(super) fn auth(&self, raw: RawAuth) -> Auth {
        let required = self.auth.or(raw.required).unwrap_or_default();
        let (cards, metrics) = (raw.cards.unwrap_or_default(), raw.metrics.unwrap_or_default());
        Auth { required, cards, metrics, issuers: raw.issuers }
    }

    /// Paths of the file are relative to its directory `base`.
    pub(super) fn tls(&self, raw: RawTls, base: &Path) -> Result<Option<Tls>, Failure> {
        let cert = self.tls_cert.clone().or(raw.cert.map(|path| base.join(path)));
        let key = self.tls_key.clone().or(raw.key.map(|path| base.join(path)));
        let half = |there: &str, missing: &str| {
            Err(Failure::new(ErrorCode::TLS_INVALID, format!("{there} is given, and {missing} is not")))
        };
        match (cert, key, raw.client_ca) {
            (Some(cert), Some(key), ca) => Ok(Some(Tls { cert, key, client_ca: ca.map(|path| base.join(path)) })),
            (Some(_), None, _) => half("tls.cert", "tls.key"),
            (None, Some(_), _) => half("tls.key", "tls.cert"),
            (None, None, Some(_)) => half("tls.client_ca", "tls.cert"),
            (None, None, None) => Ok(None),
        }
    }

    pub(super) fn cors(self, raw: Vec<String>, auth: &Auth) -> Result<CorsOrigins, Failure> {
        let flags = !self.cors_origins.is_empty();
        let (list, key, code) = match flags {
            true => (self.cors_origins, "--cors-origin", ErrorCode::USAGE),
            false => (raw, "cors.origins", ErrorCode::CONFIG_INVALID),
        };
        CorsOrigins::parse(&list, auth.required).map_err(|error| Failure::new(code, format!("{key}: {error}")))
    }
}

/// How often a caller may ask: what the file says, else the usual when callers are known, else as often as it likes.
pub(super) fn rate(raw: &RawLimits, auth: &Auth) -> Option<Rate> {
    let number = |given: Option<u64>| given.and_then(|given| u32::try_from(given).ok());
    match (number(raw.requests_per_second), number(raw.burst)) {
        (None, None) => auth.required.then_some(USUAL_RATE),
        (Some(per_second), burst) => {
            let usual = per_second.saturating_mul(USUAL_RATE.burst / USUAL_RATE.per_second);
            Some(Rate { per_second, burst: burst.unwrap_or(usual) })
        }
        (None, Some(burst)) => Some(Rate { burst, ..USUAL_RATE }),
    }
}
