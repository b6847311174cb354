//! Background work of a server that listens; it ends when the server stops.

use crate::{RetentionOptions, Server, ServerHandle, now, tools};
use baton_ports::{RetentionPolicy, ServerState};
use baton_types::Timestamp;
use std::{path::PathBuf, sync::Arc, time::Duration};

const RETENTION_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Tasks that ended within this time are always retained: another task may still need to read them.
const MIN_ENDED_AGE: Duration = Duration::from_secs(60 * 60);
/// Poll interval for new logins.
const LOGIN_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Starts all background work.
pub(crate) fn start(server: &Server) {
    let handle = server.handle();
    recover(&handle);
    refresh(&handle);
    if let Some(retention) = server.retention {
        apply_retention(server, retention);
    }
    if let Some(data) = &server.directory {
        watch_logins(&handle, tools::login_folder(data));
    }
}

fn spawn(handle: &ServerHandle, work: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(handle.components().stopping.clone().run_until_cancelled_owned(work));
}

/// Resumes unfinished runs of an earlier process.
fn recover(handle: &ServerHandle) {
    let recovering = handle.clone();
    // Not canceled at shutdown: the engine ends the runs that were resumed.
    tokio::spawn(async move {
        let parts = recovering.components();
        match parts.engine.recover().await {
            Ok(runs) => {
                if runs > 0 {
                    tracing::info!(runs, "unfinished runs are resumed");
                }
                parts.recovery.send_replace(Some(runs));
            }
            Err(error) => tracing::error!(%error, "unfinished runs could not be resumed; restart to try again"),
        }
    });
}

/// Reads the cards of remote agents, now and every few minutes, and watches local definitions for changes.
fn refresh(handle: &ServerHandle) {
    let parts = handle.components();
    spawn(handle, Arc::clone(&parts.peer_registry).refresh_periodically());
    if parts.locals.is_on_disk {
        spawn(handle, Arc::clone(&parts.locals).watch());
    }
}

/// Deletes ended tasks by the retention policy, now and every hour.
fn apply_retention(server: &Server, retention: RetentionOptions) {
    let (journal, caught_up) = (server.journal(), server.spans_caught_up());
    spawn(&server.handle(), async move {
        // Tasks must not be deleted before their spans are recorded.
        caught_up.await;
        let mut hours = tokio::time::interval(RETENTION_INTERVAL);
        loop {
            hours.tick().await;
            let policy = RetentionPolicy {
                ended_before: retention.age.map(|age| before(now(), age)),
                keep_ended: retention.keep,
                keep_since: Some(before(now(), MIN_ENDED_AGE)),
            };
            match journal.apply_retention(policy).await {
                Ok(forgotten) => tracing::info!(forgotten, "retention"),
                Err(error) => tracing::warn!(%error, "retention failed; retrying in an hour"),
            }
        }
    });
}

fn before(moment: Timestamp, age: Duration) -> Timestamp {
    Timestamp::from_millis(moment.as_millis().saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX)))
}

/// Reconnects MCP servers that need a login after a login was stored.
fn watch_logins(handle: &ServerHandle, folder: PathBuf) {
    let watching = handle.clone();
    spawn(handle, async move {
        let parts = watching.components();
        let mut looks = tokio::time::interval(LOGIN_POLL_INTERVAL);
        let mut last_change = None;
        loop {
            looks.tick().await;
            // A login replaces its file, which changes the modification time of the folder.
            let changed = tokio::fs::metadata(&folder).await.and_then(|about| about.modified()).ok();
            if std::mem::replace(&mut last_change, changed) == changed {
                continue;
            }
            let servers = parts.tools.mcp();
            for agent in parts.agents.listings().into_iter().filter(|agent| agent.has_servers) {
                let waiting = servers.statuses(&agent.name).into_iter();
                for server in waiting.filter(|server| server.state == ServerState::NeedsLogin) {
                    servers.reconnect(&agent.name, &server.name);
                }
            }
        }
    });
}
