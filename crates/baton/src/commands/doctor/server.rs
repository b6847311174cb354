//! Checks the server and its journal, or the data directory without a server.

use super::check::CheckResult;
use crate::{
    commands::{connection_options::ConnectionOptions, trace::formatting::duration},
    config::BatonSettings,
    connect::{BatonConnection, client_failure},
};
use serde_json::json;
use std::time::{Duration, Instant};

const SERVER_TIMEOUT: Duration = Duration::from_secs(10);

/// Finds a server or opens the data directory; also returns the checks made on the way.
pub(super) async fn find(
    connection: &ConnectionOptions,
    settings: Option<&BatonSettings>,
) -> (Vec<CheckResult>, Option<BatonConnection>) {
    let token = connection.token.as_deref();
    let found = match (&connection.server, settings) {
        (Some(url), _) => BatonConnection::connect(url, token).map(Some),
        (None, Some(settings)) => BatonConnection::find_running(&settings.data, token).await,
        (None, None) => Ok(None),
    };
    let session = match (found, settings) {
        (Err(failure), _) => return (vec![CheckResult::from_failure("server", &failure)], None),
        (Ok(Some(session)), _) => session,
        (Ok(None), Some(settings)) => return open_data_directory(settings, token).await,
        (Ok(None), None) => return (Vec::new(), None),
    };
    let url = session.url.clone().unwrap_or_default();
    let client = session.client.clone().with_timeout(SERVER_TIMEOUT);
    let began = Instant::now();
    let health = match client.health().await {
        Ok(health) => health,
        Err(error) => return (vec![CheckResult::from_failure("server", &client_failure(error))], None),
    };
    let took = began.elapsed();
    let facts = json!({ "url": url, "version": health.version, "millis": millis(took) });
    let message = format!("{url} answers in {}, version {}", format_duration(took), health.version);
    let server = match health.version == env!("CARGO_PKG_VERSION") {
        true => CheckResult::passed("server", message),
        false => CheckResult::note(
            "server",
            message,
            "This program has another version; restart the server with this program.",
        ),
    };
    let ready = match client.ready().await {
        Ok(_) => CheckResult::passed("journal", "accepts work"),
        Err(_) => {
            let next = "Free disk space or check the disk. For details, see the server log.";
            CheckResult::failed(
                "journal",
                "the server accepts no work: its journal is not writable, or it is shutting down",
                next,
            )
        }
    };
    (vec![server.with_data(facts), ready], Some(session))
}

/// Opens an existing data directory in this process; never creates one.
async fn open_data_directory(
    settings: &BatonSettings,
    token: Option<&str>,
) -> (Vec<CheckResult>, Option<BatonConnection>) {
    let message = format!("no server runs in {}", settings.data.display());
    let server = CheckResult::note(
        "server",
        message,
        "Start one with `baton up`. Until then, this command opens the data directory itself.",
    );
    if !settings.data.is_dir() {
        return (vec![server], None);
    }
    match BatonConnection::manage(settings, token).await {
        Ok(session) => (vec![server, CheckResult::passed("journal", "can be opened")], Some(session)),
        Err(failure) => (vec![server, CheckResult::from_failure("journal", &failure)], None),
    }
}

/// Milliseconds, for JSON output.
pub(super) fn millis(took: Duration) -> f64 {
    (took.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}

/// Duration, for text output.
pub(super) fn format_duration(took: Duration) -> String {
    duration(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX))
}
