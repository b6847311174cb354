//! Text output of one agent.

use crate::screen::{Screen, one_line};
use baton_api::{AgentDetails, RemoteEntry};

/// Maximum characters of a text from a third party.
const MAX_TEXT_CHARS: usize = 200;

/// Prints the properties of an agent, one per line.
pub(super) fn print(agent: &AgentDetails, screen: Screen) {
    let paint = screen.stdout_paint();
    let line = |label: &str, text: &str| {
        if !text.is_empty() {
            screen.print(&format!("{:<12}{}", format!("{label}:"), one_line(text, MAX_TEXT_CHARS)));
        }
    };
    screen.print(&paint.name(&agent.name));
    line("title", &agent.title);
    line("about", &agent.description);
    line("version", &agent.version);
    if let Some(remote) = &agent.remote {
        line("address", &remote.url);
        line("card", &remote.card_url);
        line("protocol", &remote.binding);
        line("endpoint", &remote.endpoint);
        let wants = remote.security.join(", ");
        line("requires", if wants.is_empty() { "no credentials" } else { &wants });
        line("signature", &card_signature(remote));
        line("set in", if remote.configured { "baton.yaml" } else { "" });
    } else {
        line("card", &agent.card_url);
    }
    let elsewhere_only = agent.remote.as_ref().is_some_and(|remote| remote.endpoint == agent.url);
    line("served at", if elsewhere_only { "" } else { &agent.url });
    line("listed", if agent.remote.is_some() && agent.listed { "in the catalog of this server" } else { "" });
    for skill in &agent.skills {
        line("skill", &format!("{}: {}", skill.name, skill.description));
    }
}

/// Signer of the card. Untrusted key ids are shown because `signers` in baton.yaml accepts them.
fn card_signature(remote: &RemoteEntry) -> String {
    match (&remote.signed_by, remote.signatures.as_slice()) {
        (Some(key), _) => format!("{key} (trusted)"),
        (None, []) => "none".to_owned(),
        (None, keys) => format!("{} (not trusted)", keys.join(", ")),
    }
}
