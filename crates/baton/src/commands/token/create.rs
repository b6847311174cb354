//! `baton token create NAME`: a token, printed once.

use super::end;
use crate::{
    commands::place::Place,
    connect::failure,
    failure::{Exit, Failure},
    screen::Screen,
    wiring::now,
};
use baton_agentdir::document::duration;
use baton_wire::api::CreateToken;
use clap::Args;
use serde_json::json;
use std::time::Duration;

/// What `baton token create` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  TOKEN=$(baton token create ci)                       may call every agent for 90 days
  baton token create ana --scope call:weather          may call one agent, and see its own tasks
  baton token create viewer --scope read               may look at its own tasks, and start nothing
  baton token create grafana --scope telemetry:read    may read everybody's spans and metrics
  baton token create ops --scope admin --expires never may do everything, managing tokens included
  baton token create ci-2 --subject ci                 sees the tasks of the token ci

  curl -H \"Authorization: Bearer $TOKEN\" http://127.0.0.1:8700/agents

The token goes to stdout alone, everything else to stderr. Only its digest is kept.")]
pub(super) struct Options {
    /// What people call it; also who its tasks belong to, unless --subject says otherwise
    name: String,
    /// What it allows: read, read:AGENT, call, call:AGENT, telemetry:read or admin; may be repeated [default: call]
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Whose tasks it reaches [default: its name]
    #[arg(long, value_name = "WHO")]
    subject: Option<String>,
    /// The organisation whose tasks it reaches [default: local]
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// How long it works, such as 12h or 90d; or never
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = expiry)]
    expires: Expiry,
    #[command(flatten)]
    place: Place,
}

/// When a token stops working.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expiry {
    After(Duration),
    Never,
}

fn expiry(text: &str) -> Result<Expiry, String> {
    if text == "never" {
        return Ok(Expiry::Never);
    }
    let time = duration(text).filter(|time| *time >= Duration::from_secs(1));
    time.map(Expiry::After).ok_or_else(|| "write a number with a unit, such as 12h or 90d, or never".to_owned())
}

/// Makes it, and prints it alone.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { name, scopes, subject, tenant, expires, place } = options;
    let wanted = CreateToken {
        name,
        subject,
        tenant,
        scopes: (!scopes.is_empty()).then_some(scopes),
        expires_in_seconds: match expires {
            Expiry::After(time) => Some(time.as_secs()),
            Expiry::Never => None,
        },
        never_expires: expires == Expiry::Never,
    };
    let session = place.manage().await?;
    let created = session.client.create_token(&wanted).await;
    session.close().await;
    let created = created.map_err(failure)?;
    if screen.is_json() {
        screen.print(&json!(created).to_string());
        return Ok(Exit::Ok);
    }
    let entry = &created.entry;
    let until = match entry.expires_at {
        Some(_) => format!("until {}", end(entry.expires_at, now())),
        None => "until it is revoked".to_owned(),
    };
    screen.say(&format!("token {} for {} allows {} {until}", entry.id, entry.subject, entry.scopes.join(", ")));
    screen.say(&format!("  it is shown this once; take it back with: baton token revoke {}", entry.id));
    screen.print(&created.token);
    Ok(Exit::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiries_as_people_write_them() {
        for (text, expect) in [
            ("90d", Some(Expiry::After(Duration::from_secs(90 * 24 * 60 * 60)))),
            ("1s", Some(Expiry::After(Duration::from_secs(1)))),
            ("never", Some(Expiry::Never)),
            ("10ms", None),
            ("0d", None),
            ("90", None),
            ("soon", None),
        ] {
            assert_eq!(expiry(text).ok(), expect, "{text}");
        }
    }
}
