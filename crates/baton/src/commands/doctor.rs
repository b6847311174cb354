//! `baton doctor`: checks the installation and suggests fixes.

mod agents;
mod check;
mod damaged_files;
mod data;
mod export;
mod models;
mod round_trip;
mod server;
mod store;

use crate::{
    commands::connection_options::ConnectionOptions,
    error_codes,
    failure::{CliError, Exit},
    screen::{Screen, escape_for_terminal},
};
use baton_server::{RepairStep, ServerError};
use check::{CheckResult, CheckStatus};
use clap::Args;
use serde_json::json;

/// Options of `baton doctor`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton doctor                                    check the data directory of this directory
  baton doctor --server https://baton.example.com --token \"$TOKEN\"
  baton doctor --json | jq '.checks[] | select(.status != \"ok\")'
  baton doctor --repair                           repair the data directory, and list the changes

Checks the data directory, the server, the journal, the agents, the models and the span store. Then
sends one span like any OpenTelemetry exporter, and reads it back by trace id and with TraceQL.
Every line that is not ok includes a suggested fix. The exit code is 4 if a check fails.

--repair restricts the data directory to its owner, adds its .gitignore, removes unfinished files
that a crash left behind, verifies every record of the journal and every block of spans, and moves
unreadable files aside without changing them.")]
pub(crate) struct DoctorOptions {
    #[command(flatten)]
    connection: ConnectionOptions,
    /// Repair the data directory first; no server may run in it, and no data is deleted
    #[arg(long)]
    repair: bool,
}

/// Runs all checks and prints their results.
pub(crate) async fn run(options: DoctorOptions, screen: Screen) -> Result<Exit, CliError> {
    let repairs = match options.repair {
        true => Some(repair(&options.connection)?),
        false => None,
    };
    let checks = run_checks(&options.connection).await?;
    let failed = checks.iter().filter(|check| check.grade == CheckStatus::Bad).count();
    let remarks = checks.iter().filter(|check| check.grade == CheckStatus::Remark).count();
    if screen.is_json() {
        let list: Vec<_> = checks.iter().map(CheckResult::to_json).collect();
        let mut report = json!({ "ok": failed == 0, "checks": list });
        if let Some(steps) = &repairs {
            let step =
                |step: &RepairStep| json!({ "about": step.about, "message": step.message, "changed": step.changed });
            report["repairs"] = steps.iter().map(step).collect();
        }
        screen.print(&report.to_string());
    } else {
        let paint = screen.stdout_paint();
        for step in repairs.iter().flatten() {
            let mark = if step.changed { paint.warn("done") } else { paint.good("ok  ") };
            let about = paint.strong(&format!("{:<11}", step.about));
            screen.print(&format!("{mark}  {about}  {}", escape_for_terminal(&step.message).replace('\n', " ")));
        }
        for line in checks.iter().flat_map(|check| check.lines(screen.stdout_paint())) {
            screen.print(&line);
        }
        screen.print_stderr(&match (failed, remarks) {
            (0, 0) => "all checks passed".to_owned(),
            (0, _) => "all checks passed, with notes".to_owned(),
            (1, _) => "1 check failed; the line below it suggests a fix".to_owned(),
            (failed, _) => format!("{failed} checks failed; the lines below them suggest fixes"),
        });
    }
    Ok(if failed == 0 { Exit::Ok } else { Exit::Server })
}

/// Repairs the data directory.
fn repair(connection: &ConnectionOptions) -> Result<Vec<RepairStep>, CliError> {
    if connection.server.is_some() {
        let message = "--repair works on a local data directory and cannot be used with --server";
        return Err(CliError::new(error_codes::USAGE, message).hint("Name the directory with --data."));
    }
    baton_server::repair_directory(&connection.settings()?.data).map_err(|error| {
        let is_locked = matches!(error, ServerError::DataDirectoryLocked(_));
        let failure = CliError::from(error);
        match is_locked {
            true => failure.hint("Stop the server first; a repair needs exclusive access to the directory."),
            false => failure,
        }
    })
}

async fn run_checks(connection: &ConnectionOptions) -> Result<Vec<CheckResult>, CliError> {
    let version = CheckResult::passed("version", format!("baton {}", env!("CARGO_PKG_VERSION")));
    let mut checks = vec![version];
    let settings = match &connection.server {
        Some(_) => None,
        None => Some(connection.settings()?),
    };
    if let Some(settings) = &settings {
        let data = data::check(&settings.data);
        let is_bad = data.grade == CheckStatus::Bad;
        checks.push(data);
        if is_bad {
            // All other checks would fail for the same reason.
            return Ok(checks);
        }
    }
    let (found, session) = server::find(connection, settings.as_ref()).await;
    checks.extend(found);
    if settings.is_some() || session.is_some() {
        checks.push(agents::check(settings.as_ref(), session.as_ref()).await);
    }
    if let Some(settings) = &settings {
        checks.push(models::check(settings).await);
    }
    if let Some(session) = session {
        let (stored, stores_spans) = store::check(&session).await;
        checks.extend(stored);
        if stores_spans {
            checks.push(round_trip::check(&session).await);
        }
        checks.extend(export::check(&session).await);
        session.close().await;
    }
    checks.extend(settings.as_ref().and_then(|settings| damaged_files::check(&settings.data)));
    Ok(checks)
}
