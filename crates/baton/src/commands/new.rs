//! `baton new`: creates an agent directory from a template.

use crate::{
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_agentdir::scaffold;
use baton_types::{ErrorCode, RESERVED_AGENT_NAMES, is_agent_name};
use clap::Args;
use serde_json::json;
use std::{fs, io, io::Write, path::Path, path::PathBuf};

/// Options of `baton new`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton new helper                 writes helper/agent.yaml, prompt.md and playbook.yaml
  baton new helper --dir agents    writes agents/helper/...")]
pub(crate) struct NewOptions {
    /// Name of the agent: lower-case letters, digits and dashes
    name: String,
    /// Parent directory of the new directory
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

/// Writes the files; never overwrites existing files.
pub(crate) fn run(options: &NewOptions, screen: Screen) -> Result<Exit, CliError> {
    let name = &options.name;
    if !is_agent_name(name) {
        let hint = if RESERVED_AGENT_NAMES.contains(&name.as_str()) {
            "This name is reserved for A2A paths; choose another, such as `baton new my-agent`."
        } else {
            "Use lower-case letters, digits and dashes, such as `baton new my-agent`."
        };
        return Err(CliError::new(ErrorCode::AGENT_INVALID, format!("'{name}' is not a valid agent name")).hint(hint));
    }
    let directory = if options.dir == Path::new(".") { PathBuf::from(name) } else { options.dir.join(name) };
    if fs::read_dir(&directory).is_ok_and(|mut entries| entries.next().is_some()) || directory.is_file() {
        return Err(exists(&directory));
    }
    let files = scaffold(name);
    for (path, text) in &files {
        let file = directory.join(path);
        write_new(&file, text).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(&file),
            _ => CliError::new(ErrorCode::INTERNAL, format!("cannot write {}: {error}", file.display()))
                .hint("Choose a writable directory with --dir."),
        })?;
    }
    let shown = directory.display();
    if screen.is_json() {
        let files: Vec<&String> = files.keys().collect();
        screen.print(&json!({"name": name, "directory": shown.to_string(), "files": files}).to_string());
        return Ok(Exit::Ok);
    }
    for path in files.keys() {
        screen.print(&directory.join(path).display().to_string());
    }
    let lines = [
        (format!("baton run {name} \"What time is it?\" --agents {shown}"), "ask it once"),
        (format!("baton up {shown}"), "serve it"),
        (format!("edit {shown}/prompt.md and {shown}/playbook.yaml"), "make it yours"),
    ];
    let width = lines.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    screen.print_stderr(&format!("\n{name} is ready. Next:"));
    for (command, description) in lines {
        screen.print_stderr(&format!("  {command:<width$}  {description}"));
    }
    Ok(Exit::Ok)
}

fn exists(path: &Path) -> CliError {
    CliError::new(error_codes::ALREADY_EXISTS, format!("{} already exists; nothing was written", path.display()))
}

fn write_new(file: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::OpenOptions::new().write(true).create_new(true).open(file)?.write_all(text.as_bytes())
}
