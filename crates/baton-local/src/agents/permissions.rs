//! Words about tools, written into the files of agents.

use super::{DirectoryAgents, Shelf};
use crate::{
    definition_file::{Replaced, replace},
    files::{Content, Stamps},
};
use baton_agentdir::{Diagnostic, EditError, Edited, edit};
use baton_ports::{BoxFuture, PermissionBook, PermissionBookError, PermissionChanged};
use baton_types::{AgentName, ErrorCode, PermissionChange};
use std::{io, path::Path, sync::Arc, time::Duration};
use tokio::task::spawn_blocking;

/// How often it is tried when somebody else writes at the same time.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(20);

impl PermissionBook for DirectoryAgents {
    fn change<'a>(
        &'a self,
        agent: &'a AgentName,
        change: PermissionChange,
    ) -> BoxFuture<'a, Result<PermissionChanged, PermissionBookError>> {
        Box::pin(async move {
            let change = Arc::new(change);
            for _ in 0..TRIES {
                let (shelf, agent, change) = (Arc::clone(&self.shelf), agent.clone(), Arc::clone(&change));
                let tried = spawn_blocking(move || shelf.change(&agent, &change)).await;
                let tried = tried.map_err(|_| failed(ErrorCode::INTERNAL, "the change was given up".to_owned()))?;
                if let Some(changed) = tried? {
                    return Ok(changed);
                }
                tokio::time::sleep(PAUSE).await;
            }
            let detail = format!("somebody else keeps changing the files of '{agent}'; try again");
            Err(failed(ErrorCode::AGENT_NOT_CHANGED, detail))
        })
    }
}

impl Shelf {
    /// Tries once; nothing when somebody else wrote meanwhile.
    fn change(
        &self,
        agent: &AgentName,
        change: &PermissionChange,
    ) -> Result<Option<PermissionChanged>, PermissionBookError> {
        let now = self.now();
        let is_it = |name: &AgentName| name == agent;
        let place = now.places.iter().find(|place| place.served.as_ref().is_some_and(|s| is_it(&s.agent.name)));
        let Some(place) = place else {
            return Err(failed(ErrorCode::AGENT_NOT_FOUND, format!("no directory defines the agent '{agent}'")));
        };
        let found = &place.found;
        let content = Content::read(found, &Stamps::of(found));
        let shown = found.shown.strip_prefix(".").unwrap_or(&found.shown);
        let edited = match content.diagnostics.iter().any(Diagnostic::is_error) {
            true => Err(EditError::Invalid(content.diagnostics)),
            false => edit(&content.files, &found.real.to_string_lossy(), change),
        };
        let edited = edited.map_err(|error| {
            failed(
                error.code(),
                match shown.as_os_str().is_empty() {
                    true => error.to_string(),
                    false => format!("{}: {error}", shown.display()),
                },
            )
        })?;
        let Edited { file, text, before, after } = edited;
        let old = content.files.get(&file).map(Vec::as_slice).unwrap_or_default();
        let is_written = old != text.as_bytes();
        if is_written {
            let replaced = replace(&found.real.join(&file), old, text.as_bytes());
            if replaced.map_err(|error| unwritable(&shown.join(&file), &error))? == Replaced::Not {
                return Ok(None);
            }
        }
        // Also when nothing was written: what is served may be older than the file.
        self.reload();
        Ok(Some(PermissionChanged { file: shown.join(&file).display().to_string(), is_written, before, after }))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> PermissionBookError {
    let what = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "let the user that runs Baton write the file and its directory, or change it by hand"
        }
        _ => "nothing was changed",
    };
    failed(ErrorCode::AGENT_NOT_CHANGED, format!("{} cannot be written: {error}; {what}", path.display()))
}

fn failed(code: ErrorCode, detail: String) -> PermissionBookError {
    PermissionBookError { code, detail }
}
