//! `baton token create`: creates a token and prints it once.

use super::format_expiry;
use crate::{
    commands::connection_options::ConnectionOptions,
    connect::client_failure,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_api::CreateToken;
use baton_document::duration;
use baton_server::now;
use clap::Args;
use serde_json::json;
use std::time::Duration;

/// Options of `baton token create`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  TOKEN=$(baton token create ci)                       call every agent, for 90 days
  baton token create ana --scope call:weather          call one agent, and see its own tasks
  baton token create viewer --scope read               read its own tasks, but start none
  baton token create grafana --scope telemetry:read    read the spans and metrics of all users
  baton token create ops --scope admin --expires never full access, including token management
  baton token create ci-2 --subject ci                 access the tasks of the token ci

  curl -H \"Authorization: Bearer $TOKEN\" http://127.0.0.1:8700/agents

Only the token is printed to stdout, everything else to stderr. The server stores only its digest.")]
pub(super) struct TokenCreateOptions {
    /// Name of the token; also the subject that owns its tasks, unless --subject is given
    name: String,
    /// Permission: read, read:AGENT, call, call:AGENT, telemetry:read or admin; repeatable [default: call]
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Subject whose tasks the token can access [default: NAME]
    #[arg(long, value_name = "NAME")]
    subject: Option<String>,
    /// Tenant whose tasks the token can access [default: local]
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// Lifetime, such as 12h or 90d; or never
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = parse_lifetime)]
    expires: TokenLifetime,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Lifetime of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenLifetime {
    After(Duration),
    Never,
}

fn parse_lifetime(text: &str) -> Result<TokenLifetime, String> {
    if text == "never" {
        return Ok(TokenLifetime::Never);
    }
    let time = duration(text).filter(|time| *time >= Duration::from_secs(1));
    time.map(TokenLifetime::After)
        .ok_or_else(|| "expected a number with a unit, such as 12h or 90d, or never".to_owned())
}

/// Creates the token; stdout gets only the token.
pub(super) async fn run(options: TokenCreateOptions, screen: Screen) -> Result<Exit, CliError> {
    let TokenCreateOptions { name, scopes, subject, tenant, expires, connection } = options;
    let request = CreateToken {
        name,
        subject,
        tenant,
        scopes: (!scopes.is_empty()).then_some(scopes),
        expires_in_seconds: match expires {
            TokenLifetime::After(time) => Some(time.as_secs()),
            TokenLifetime::Never => None,
        },
        never_expires: expires == TokenLifetime::Never,
    };
    let session = connection.management_session().await?;
    let created = session.client.create_token(&request).await;
    session.close().await;
    let created = created.map_err(client_failure)?;
    if screen.is_json() {
        screen.print(&json!(created).to_string());
        return Ok(Exit::Ok);
    }
    let entry = &created.entry;
    let until = match entry.expires_at {
        Some(_) => format!("until {}", format_expiry(entry.expires_at, now())),
        None => "until it is revoked".to_owned(),
    };
    screen.print_stderr(&format!(
        "token {} for {} allows {} {until}",
        entry.id,
        entry.subject,
        entry.scopes.join(", ")
    ));
    screen.print_stderr(&format!("  it is shown only once; revoke it with: baton token revoke {}", entry.id));
    screen.print(&created.token);
    Ok(Exit::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn human_readable_expiries_are_parsed() {
        for (text, expect) in [
            ("90d", Some(TokenLifetime::After(Duration::from_secs(90 * 24 * 60 * 60)))),
            ("1s", Some(TokenLifetime::After(Duration::from_secs(1)))),
            ("never", Some(TokenLifetime::Never)),
            ("10ms", None),
            ("0d", None),
            ("90", None),
            ("soon", None),
        ] {
            assert_eq!(parse_lifetime(text).ok(), expect, "{text}");
        }
    }
}
