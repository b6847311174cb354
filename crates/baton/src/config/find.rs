//! Locates and reads the configuration file.

use super::raw::RawConfig;
use crate::failure::CliError;
use baton_types::ErrorCode;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// File name used without `--config`.
const DEFAULT_FILE: &str = "baton.yaml";
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The file given by `--config`, else the one in the working directory, else the one in the agents directory if exactly
/// one was given.
pub(super) fn load_config(named: Option<&Path>, agents: &[PathBuf]) -> Result<(PathBuf, RawConfig), CliError> {
    if let Some(file) = named {
        return Ok((file.to_path_buf(), read(file)?.ok_or_else(|| missing(file))?));
    }
    if let Some(raw) = read(Path::new(DEFAULT_FILE))? {
        return Ok((DEFAULT_FILE.into(), raw));
    }
    if let [only] = agents
        && only.is_dir()
    {
        let file = only.join(DEFAULT_FILE);
        if let Some(raw) = read(&file)? {
            return Ok((file, raw));
        }
    }
    Ok((DEFAULT_FILE.into(), RawConfig::default()))
}

fn read(file: &Path) -> Result<Option<RawConfig>, CliError> {
    let invalid = |message: String| CliError::new(ErrorCode::CONFIG_INVALID, format!("{}: {message}", file.display()));
    let bytes = match fs::metadata(file) {
        Ok(meta) if meta.len() > MAX_FILE_BYTES => return Err(invalid("the file is over 1 MB".to_owned())),
        Ok(_) => fs::read(file).map_err(|error| invalid(error.to_string()))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(invalid(error.to_string())),
    };
    RawConfig::parse(&file.display().to_string(), &bytes).map(Some).map_err(|diagnostics| {
        CliError::new(ErrorCode::CONFIG_INVALID, format!("{} cannot be used", file.display()))
            .with_diagnostics(diagnostics)
    })
}

fn missing(file: &Path) -> CliError {
    CliError::new(ErrorCode::CONFIG_INVALID, format!("there is no file {}", file.display()))
        .hint("Correct --config, or leave it out to use ./baton.yaml when there is one.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn config_is_the_named_file_or_next_to_the_only_agent_directory() {
        let home = tempfile::tempdir().expect("a directory");
        let (file, other) = (home.path().join(DEFAULT_FILE), home.path().join("other.yaml"));
        fs::write(&file, "port: 1\n").expect("written");
        fs::write(&other, "port: 2\n").expect("written");
        let found = |named: Option<&Path>, agents: &[PathBuf]| {
            let (file, raw) = load_config(named, agents).expect("readable");
            (file, raw.port)
        };
        let agents = home.path().to_path_buf();
        let nothing = (PathBuf::from(DEFAULT_FILE), None);
        assert_eq!(found(Some(&other), std::slice::from_ref(&agents)), (other.clone(), Some(2)));
        assert_eq!(found(None, std::slice::from_ref(&agents)), (file, Some(1)));
        assert_eq!(found(None, &[agents.clone(), agents.clone()]), nothing, "several directories are ambiguous");
        assert_eq!(found(None, &[other]), nothing, "a file is not an agent directory");
        assert!(load_config(Some(&agents.join("missing.yaml")), &[]).is_err());
    }
}
