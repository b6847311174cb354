//! Checks the server and its journal, or the data directory without a server.

use super::check::Check;
use crate::{
    commands::{place::Place, trace::words::duration},
    config::Settings,
    connect::{Session, failure},
};
use serde_json::json;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(10);

/// Finds a server or opens the data directory; also returns the checks made on the way.
pub(super) async fn find(place: &Place, settings: Option<&Settings>) -> (Vec<Check>, Option<Session>) {
    let token = place.token.as_deref();
    let found = match (&place.server, settings) {
        (Some(url), _) => Session::at(url, token).map(Some),
        (None, Some(settings)) => Session::running(&settings.data, token).await,
        (None, None) => Ok(None),
    };
    let session = match (found, settings) {
        (Err(failure), _) => return (vec![Check::failed("server", &failure)], None),
        (Ok(Some(session)), _) => session,
        (Ok(None), Some(settings)) => return within(settings, token).await,
        (Ok(None), None) => return (Vec::new(), None),
    };
    let url = session.url.clone().unwrap_or_default();
    let client = session.client.clone().with_timeout(PATIENCE);
    let began = Instant::now();
    let health = match client.health().await {
        Ok(health) => health,
        Err(error) => return (vec![Check::failed("server", &failure(error))], None),
    };
    let took = began.elapsed();
    let facts = json!({ "url": url, "version": health.version, "millis": millis(took) });
    let message = format!("{url} answers in {}, version {}", shown(took), health.version);
    let server = match health.version == env!("CARGO_PKG_VERSION") {
        true => Check::good("server", message),
        false => {
            Check::remark("server", message, "This program has another version; restart the server with this program.")
        }
    };
    let ready = match client.ready().await {
        Ok(_) => Check::good("journal", "accepts work"),
        Err(_) => {
            let next = "Free disk space or check the disk. For details, see the server log.";
            Check::bad(
                "journal",
                "the server accepts no work: its journal is not writable, or it is shutting down",
                next,
            )
        }
    };
    (vec![server.with(facts), ready], Some(session))
}

/// Opens an existing data directory in this process; never creates one.
async fn within(settings: &Settings, token: Option<&str>) -> (Vec<Check>, Option<Session>) {
    let nobody = format!("no server runs in {}", settings.data.display());
    let server = Check::remark("server", nobody, "Start one with `baton up`. Until then, this command opens the data directory itself.");
    if !settings.data.is_dir() {
        return (vec![server], None);
    }
    match Session::manage(settings, token).await {
        Ok(session) => (vec![server, Check::good("journal", "can be opened")], Some(session)),
        Err(failure) => (vec![server, Check::failed("journal", &failure)], None),
    }
}

/// Milliseconds, for JSON output.
pub(super) fn millis(took: Duration) -> f64 {
    (took.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}

/// Duration, for text output.
pub(super) fn shown(took: Duration) -> String {
    duration(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX))
}
