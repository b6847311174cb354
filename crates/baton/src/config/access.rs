//! Access settings: authentication, TLS, CORS and rate limits.

use super::raw::{CardAccess, MetricsAccess, RawAuth, RawLimits, RawTls};
use crate::{error_codes, failure::CliError};
use baton_server::{CorsOrigins, IssuerConfig, RateLimit, TlsFiles};
use baton_types::ErrorCode;
use std::path::{Path, PathBuf};

/// Default rate limit per caller if authentication is required.
const DEFAULT_RATE_LIMIT: RateLimit = RateLimit { per_second: 50, burst: 200 };

/// Authentication settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Auth {
    /// Whether callers must present a token.
    pub(crate) required: bool,
    /// Access to agent cards.
    pub(crate) cards: CardAccess,
    /// Access to metrics.
    pub(crate) metrics: MetricsAccess,
    /// Issuers of accepted JSON Web Tokens, in addition to tokens issued here.
    pub(crate) issuers: Vec<IssuerConfig>,
}

/// Values of the flags.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessOverrides {
    pub(crate) auth: Option<bool>,
    pub(crate) tls_cert: Option<PathBuf>,
    pub(crate) tls_key: Option<PathBuf>,
    pub(crate) cors_origins: Vec<String>,
}

impl AccessOverrides {
    pub(super) fn auth(&self, raw: RawAuth) -> Auth {
        let required = self.auth.or(raw.required).unwrap_or_default();
        let (cards, metrics) = (raw.cards.unwrap_or_default(), raw.metrics.unwrap_or_default());
        Auth { required, cards, metrics, issuers: raw.issuers }
    }

    /// Paths of the file are relative to its directory `base`.
    pub(super) fn tls(&self, raw: RawTls, base: &Path) -> Result<Option<TlsFiles>, CliError> {
        let cert = self.tls_cert.clone().or(raw.cert.map(|path| base.join(path)));
        let key = self.tls_key.clone().or(raw.key.map(|path| base.join(path)));
        let half = |there: &str, missing: &str| {
            Err(CliError::new(ErrorCode::TLS_INVALID, format!("{there} is set, but {missing} is missing")))
        };
        match (cert, key, raw.client_ca) {
            (Some(cert), Some(key), ca) => Ok(Some(TlsFiles { cert, key, client_ca: ca.map(|path| base.join(path)) })),
            (Some(_), None, _) => half("tls.cert", "tls.key"),
            (None, Some(_), _) => half("tls.key", "tls.cert"),
            (None, None, Some(_)) => half("tls.client_ca", "tls.cert"),
            (None, None, None) => Ok(None),
        }
    }

    pub(super) fn cors(self, raw: Vec<String>, auth: &Auth) -> Result<CorsOrigins, CliError> {
        let flags = !self.cors_origins.is_empty();
        let (list, key, code) = match flags {
            true => (self.cors_origins, "--cors-origin", error_codes::USAGE),
            false => (raw, "cors.origins", ErrorCode::CONFIG_INVALID),
        };
        CorsOrigins::parse(&list, auth.required).map_err(|error| CliError::new(code, format!("{key}: {error}")))
    }
}

/// Rate limit per caller: of the file, else the default if authentication is required, else none.
pub(super) fn rate_limit(raw: &RawLimits, auth: &Auth) -> Option<RateLimit> {
    let number = |value: Option<u64>| value.and_then(|value| u32::try_from(value).ok());
    match (number(raw.requests_per_second), number(raw.burst)) {
        (None, None) => auth.required.then_some(DEFAULT_RATE_LIMIT),
        (Some(per_second), burst) => {
            let usual = per_second.saturating_mul(DEFAULT_RATE_LIMIT.burst / DEFAULT_RATE_LIMIT.per_second);
            Some(RateLimit { per_second, burst: burst.unwrap_or(usual) })
        }
        (None, Some(burst)) => Some(RateLimit { burst, ..DEFAULT_RATE_LIMIT }),
    }
}
