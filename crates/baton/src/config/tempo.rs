//! A remote Tempo server, configured by the file and `TEMPO_URL`.

use super::raw::{RawTempo, resolve_secret_path};
use baton_peers::Credential;
use baton_server::{HeaderText, TempoServer};
use std::{path::Path, time::Duration};

/// Environment variable with the URL of a Tempo server.
const URL_VARIABLE: &str = "TEMPO_URL";

const DEFAULT_HOT_PERIOD: Duration = Duration::from_secs(60 * 60);

/// The configured server, if any. Secret files are relative to `base`.
pub(super) fn tempo_server(
    raw: RawTempo,
    base: &Path,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<TempoServer> {
    let named = variable(URL_VARIABLE).map(|url| url.trim().to_owned()).filter(|url| !url.is_empty());
    let elsewhere = matches!((&named, &raw.url), (Some(named), Some(url)) if named != url);
    let url = named.or(raw.url)?;
    let (credential, headers) = match elsewhere {
        true if raw.credential.is_none() && raw.headers.is_empty() => Default::default(),
        // Credentials and headers were configured for the URL of the file.
        true => {
            tracing::warn!(
                "{URL_VARIABLE} overrides the URL of the file; credentials and headers of the file are not sent"
            );
            Default::default()
        }
        false => (raw.credential, raw.headers),
    };
    let text = |(name, text): (String, HeaderText)| match text {
        HeaderText::Secret(secret) => (name, HeaderText::Secret(resolve_secret_path(&secret, base))),
        plain @ HeaderText::Plain(_) => (name, plain),
    };
    Some(TempoServer {
        url,
        mode: raw.mode.unwrap_or_default(),
        hot: raw.hot.unwrap_or(DEFAULT_HOT_PERIOD),
        tenant: raw.tenant,
        credential: match credential {
            Credential::Bearer(secret) => Credential::Bearer(resolve_secret_path(&secret, base)),
            Credential::Basic { user, secret } => {
                Credential::Basic { user, secret: resolve_secret_path(&secret, base) }
            }
            other => other,
        },
        headers: headers.into_iter().map(text).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_over_file_and_secrets_only_where_they_belong() {
        let raw = |url: Option<&str>| RawTempo {
            url: url.map(str::to_owned),
            credential: Credential::Bearer("file://token".parse().expect("a reference")),
            ..RawTempo::default()
        };
        let here = "http://localhost:3200";
        let token = Credential::Bearer("file://etc/token".parse().expect("a reference"));
        for (named, url, expect) in [
            (None, None, None),
            (Some(" "), None, None),
            (None, Some(here), Some((here, &token))),
            (Some(here), None, Some((here, &token))),
            (Some(here), Some(here), Some((here, &token))),
            (Some(here), Some("http://tempo:3200"), Some((here, &Credential::None))),
        ] {
            let chosen = tempo_server(raw(url), Path::new("etc"), |_| named.map(str::to_owned));
            let chosen = chosen.as_ref().map(|tempo| (tempo.url.as_str(), &tempo.credential));
            assert_eq!(chosen, expect, "{named:?} {url:?}");
        }
    }
}
