//! `baton doctor`: whether everything works, and what to do where it does not.

mod agents;
mod check;
mod damaged;
mod data;
mod export;
mod models;
mod round_trip;
mod server;
mod store;

use crate::{
    commands::place::Place,
    failure::{Exit, Failure},
    screen::{Screen, harmless},
    wiring::{self, RepairStep},
};
use baton_types::ErrorCode;
use check::{Check, Grade};
use clap::Args;
use serde_json::json;

/// What `baton doctor` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton doctor                                    the Baton of this directory
  baton doctor --server https://baton.example.com --token \"$TOKEN\"
  baton doctor --json | jq '.checks[] | select(.status != \"ok\")'
  baton doctor --repair                           put the data directory in order, and say what was done

Looks at the data directory, the server, the journal, the agents, the models and the span store; then emits one
span as any OpenTelemetry exporter would, and asks for it by its id and by TraceQL. Every line that
is not ok says what to do. Exit code 4 when something does not work.

--repair makes the data directory its owner's alone, adds its .gitignore, removes drafts that a crash left, checks every
record of the journal and every block of spans, and moves aside what cannot be read, with all its bytes.")]
pub(crate) struct Options {
    #[command(flatten)]
    place: Place,
    /// Put the data directory in order first: no server may run in it, and no data is deleted
    #[arg(long)]
    repair: bool,
}

/// Looks at everything and says how it is.
pub(crate) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let repairs = match options.repair {
        true => Some(repair(&options.place)?),
        false => None,
    };
    let checks = look(&options.place).await?;
    let failed = checks.iter().filter(|check| check.grade == Grade::Bad).count();
    let remarks = checks.iter().filter(|check| check.grade == Grade::Remark).count();
    if screen.is_json() {
        let list: Vec<_> = checks.iter().map(Check::to_json).collect();
        let mut said = json!({ "ok": failed == 0, "checks": list });
        if let Some(steps) = &repairs {
            let step =
                |step: &RepairStep| json!({ "about": step.about, "message": step.message, "changed": step.changed });
            said["repairs"] = steps.iter().map(step).collect();
        }
        screen.print(&said.to_string());
    } else {
        let paint = screen.data_paint();
        for step in repairs.iter().flatten() {
            let word = if step.changed { paint.warn("done") } else { paint.good("ok  ") };
            let about = paint.strong(&format!("{:<11}", step.about));
            screen.print(&format!("{word}  {about}  {}", harmless(&step.message).replace('\n', " ")));
        }
        for line in checks.iter().flat_map(|check| check.lines(screen.data_paint())) {
            screen.print(&line);
        }
        screen.say(&match (failed, remarks) {
            (0, 0) => "everything works".to_owned(),
            (0, _) => "everything works, with remarks".to_owned(),
            (1, _) => "one thing does not work; the line below it says what to do".to_owned(),
            (failed, _) => format!("{failed} things do not work; the lines below them say what to do"),
        });
    }
    Ok(if failed == 0 { Exit::Ok } else { Exit::Server })
}

/// Puts the data directory in order.
fn repair(place: &Place) -> Result<Vec<RepairStep>, Failure> {
    if place.server.is_some() {
        let message = "--repair works on the data directory of this machine, not through --server";
        return Err(Failure::new(ErrorCode::USAGE, message).hint("Name the directory with --data."));
    }
    wiring::repair(&place.settings()?.data)
}

async fn look(place: &Place) -> Result<Vec<Check>, Failure> {
    let version = Check::good("version", format!("baton {}", env!("CARGO_PKG_VERSION")));
    let mut checks = vec![version];
    let settings = match &place.server {
        Some(_) => None,
        None => Some(place.settings()?),
    };
    if let Some(settings) = &settings {
        let data = data::check(&settings.data);
        let is_bad = data.grade == Grade::Bad;
        checks.push(data);
        if is_bad {
            // Everything else would fail for the same reason.
            return Ok(checks);
        }
    }
    let (found, session) = server::find(place, settings.as_ref()).await;
    checks.extend(found);
    if settings.is_some() || session.is_some() {
        checks.push(agents::check(settings.as_ref(), session.as_ref()).await);
    }
    if let Some(settings) = &settings {
        checks.push(models::check(settings).await);
    }
    if let Some(session) = session {
        let (stored, kept) = store::check(&session).await;
        checks.extend(stored);
        if kept {
            checks.push(round_trip::check(&session).await);
        }
        checks.extend(export::check(&session).await);
        session.close().await;
    }
    checks.extend(settings.as_ref().and_then(|settings| damaged::check(&settings.data)));
    Ok(checks)
}
