//! The two example agents, embedded in the binary so that the demo works from any directory.

use crate::{error_codes, failure::CliError};
use std::{
    fs::{self, DirBuilder},
    io,
    path::{Path, PathBuf},
};

const FILES: [(&str, &str); 7] = [
    ("weather/agent.yaml", include_str!("../../../examples/weather/agent.yaml")),
    ("weather/prompt.md", include_str!("../../../examples/weather/prompt.md")),
    ("weather/playbook.yaml", include_str!("../../../examples/weather/playbook.yaml")),
    ("weather/tools/get_weather.sh", include_str!("../../../examples/weather/tools/get_weather.sh")),
    ("personal/agent.yaml", include_str!("../../../examples/personal/agent.yaml")),
    ("personal/prompt.md", include_str!("../../../examples/personal/prompt.md")),
    ("personal/playbook.yaml", include_str!("../../../examples/personal/playbook.yaml")),
];

/// Writes the examples below `directory`, replacing those of an earlier demo, and returns the agents' directories.
pub(crate) fn write(directory: &Path) -> Result<Vec<PathBuf>, CliError> {
    for (path, text) in FILES {
        let file = directory.join(path);
        let written = file.parent().map_or(Ok(()), private_directory).and_then(|()| fs::write(&file, text));
        written.map_err(|error| {
            CliError::new(error_codes::JOURNAL_UNAVAILABLE, format!("cannot write {}: {error}", file.display()))
                .hint("Choose a writable directory with --data.")
        })?;
    }
    Ok(["weather", "personal"].map(|name| directory.join(name)).to_vec())
}

/// Creates the data directory of the demo with the journal's permissions: owner only.
fn private_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}
