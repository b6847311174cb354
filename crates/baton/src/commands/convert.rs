//! `baton convert`: writes an agent in another format to a new path.

mod read;
mod write;

use crate::{
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_agentdir::{ConvertError, ConvertedAgent, Format, convert};
use baton_document::Diagnostic;
use baton_types::ErrorCode;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Options of `baton convert`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton convert old-agent new-agent          TeamSpark agent to a directory with agent.yaml
  baton convert bob.yaml bob                 single file to a directory with agent.yaml
  baton convert helper helper.yaml           directory to a single file
  baton convert helper old --to tspark       directory with tspark.json

FROM is not changed, and TO must not exist. The command lists everything that the new format cannot
represent.")]
pub(crate) struct ConvertOptions {
    /// Directory or file of the agent
    from: PathBuf,
    /// New path: a directory, or a file that ends with .yaml
    to: PathBuf,
    /// Format to write: a directory with agent.yaml, one YAML file, or a directory with tsagent.json or tspark.json
    /// [default: native; tsagent if FROM is native or TO ends with .yaml]
    #[arg(long = "to", value_name = "FORM")]
    form: Option<ConvertFormat>,
}

/// Output format.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ConvertFormat {
    Native,
    Tsagent,
    TsagentJson,
    Tspark,
}

impl From<ConvertFormat> for Format {
    fn from(form: ConvertFormat) -> Self {
        match form {
            ConvertFormat::Native => Self::Native,
            ConvertFormat::Tsagent => Self::Tsagent,
            ConvertFormat::TsagentJson => Self::TsagentJson,
            ConvertFormat::Tspark => Self::Tspark,
        }
    }
}

/// Writes the new files; never overwrites existing files.
pub(crate) fn run(options: &ConvertOptions, screen: Screen) -> Result<Exit, CliError> {
    let ConvertOptions { from, to, form } = options;
    let files = read::read_agent(from)?;
    let is_file = to.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    let wants_file = is_file || Format::detect(&files) == Some(Format::Native);
    let usual = if wants_file { Format::Tsagent } else { Format::Native };
    let format = form.map_or(usual, Format::from);
    if is_file && format != Format::Tsagent {
        let message = format!("{} is a file name, but this format is a directory", to.display());
        return Err(CliError::new(error_codes::USAGE, message).hint("Name a directory, or use --to tsagent."));
    }
    let mut converted = convert(&files, format).map_err(|error| convert_failure(error, from))?;
    if is_file {
        reduce_to_single_file(&mut converted, to);
    }
    write::write_files(to, is_file, &converted.files)?;
    print_report(screen, to, is_file, format, &converted);
    Ok(Exit::Ok)
}

/// Reduces the result to its single file and reports the dropped files as lost.
fn reduce_to_single_file(converted: &mut ConvertedAgent, to: &Path) {
    let name = to.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let own = converted.files.remove(baton_agentdir::TSAGENT_FILE).unwrap_or_default();
    let dropped_files: Vec<String> = std::mem::take(&mut converted.files).into_keys().collect();
    converted
        .lost
        .extend(dropped_files.into_iter().map(|file| format!("`{file}`, which does not fit into a single file")));
    converted.files.insert(name, own);
}

fn print_report(screen: Screen, to: &Path, is_file: bool, format: Format, converted: &ConvertedAgent) {
    let ConvertedAgent { from, files, lost } = converted;
    let at = |path: &String| if is_file { to.to_owned() } else { to.join(path) };
    let paths: Vec<String> = files.keys().map(|path| at(path).display().to_string()).collect();
    if screen.is_json() {
        let report = json!({"from": from.as_str(), "to": format.as_str(), "files": paths, "lost": lost});
        screen.print(&report.to_string());
        return;
    }
    for path in &paths {
        screen.print(path);
    }
    if lost.is_empty() {
        screen.print_stderr(&format!("\nConverted from {} to {} without loss.", from.as_str(), format.as_str()));
        return;
    }
    screen.print_stderr(&format!("\nThe format {} cannot represent:", format.as_str()));
    for item in lost {
        screen.print_stderr(&format!("  - {item}"));
    }
}

fn convert_failure(error: ConvertError, from: &Path) -> CliError {
    let message = format!("{}: {error}", from.display());
    match error {
        ConvertError::Invalid(remarks) | ConvertError::Unwritable(_, remarks) => {
            let errors = remarks.into_iter().filter(Diagnostic::is_error).map(|mut remark| {
                let path = if from.is_dir() { from.join(&remark.file) } else { from.to_owned() };
                remark.file = path.display().to_string();
                remark
            });
            CliError::new(ErrorCode::AGENT_INVALID, message).with_diagnostics(errors.collect())
        }
        ConvertError::Same(_) => CliError::new(error_codes::USAGE, message).hint("Choose another format with --to."),
    }
}
