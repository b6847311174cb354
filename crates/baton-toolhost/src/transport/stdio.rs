//! MCP servers over the standard streams of a program.

mod environment;
mod group;
mod lines;
mod process;
mod reaper;
mod stderr;

pub use reaper::reap_groups;

use crate::{BoxedTransport, ConnectAttempt, ConnectError, ConnectTarget, ServerConnector, transport::is_secret_name};
use baton_outbound::SecretRedactor;
use baton_ports::BoxFuture;
use baton_types::McpTransport;
use reaper::Reaper;
use std::sync::Arc;

/// Starts a program for each connection, in its own process group, and kills the whole group at the end.
#[derive(Clone, Debug, Default)]
pub struct StdioConnector {
    reaper: Option<Arc<Reaper>>,
}

impl StdioConnector {
    /// A connector without a reaper.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also kills the programs when this process is killed: the command is started before the first program and must
    /// call [`reap_groups`].
    #[must_use]
    pub fn with_reaper(command: Vec<String>) -> Self {
        Self { reaper: Some(Arc::new(Reaper::new(command))) }
    }
}

impl ServerConnector for StdioConnector {
    fn open<'a>(
        &'a self,
        target: ConnectTarget<'a>,
        _: ConnectAttempt,
    ) -> BoxFuture<'a, Result<BoxedTransport, ConnectError>> {
        Box::pin(async move {
            let McpTransport::Stdio { command, args, env, env_file, cwd, base } = &target.server.transport else {
                return Err(ConnectError::Failed {
                    reason: "it is not a program".to_owned(),
                    hint: format!("give it a `command` in {}", target.server.file),
                });
            };
            let variables = environment::program_variables(base, env_file.as_deref(), env).await.map_err(|reason| {
                ConnectError::Failed { reason, hint: format!("correct `envFile` in {}", target.server.file) }
            })?;
            let secret = variables.iter().filter(|(name, _)| name.to_str().is_some_and(is_secret_name));
            target.log.add_secrets(SecretRedactor::from_values(secret.filter_map(|(_, value)| value.to_str())));
            let directory = std::path::Path::new(base).join(cwd.as_deref().unwrap_or_default());
            let program = process::Program { command, args, directory: &directory, variables };
            let process = process::start(&program, target.log, self.reaper.clone()).map_err(|error| {
                let hint = match error.kind() {
                    std::io::ErrorKind::NotFound if !directory.is_dir() => {
                        format!("correct `cwd` in {}: there is no such directory", target.server.file)
                    }
                    std::io::ErrorKind::NotFound => {
                        format!("install it, or correct `command` in {}", target.server.file)
                    }
                    _ => format!("check `command` in {}", target.server.file),
                };
                ConnectError::Failed { reason: format!("the program '{command}' could not be started: {error}"), hint }
            })?;
            Ok(BoxedTransport::new(process))
        })
    }
}
