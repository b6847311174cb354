//! Environment variables and files as sources of settings.

use std::{fmt, fs::File, io::Read, path::Path, sync::Arc};

type EnvironmentLookup = dyn Fn(&str) -> Option<String> + Send + Sync;
type FileLookup = dyn Fn(&Path) -> Option<String> + Send + Sync;

/// Maximum size of a settings file in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Environment variables and the files that some of them refer to; replaceable in tests.
#[derive(Clone)]
pub struct EnvironmentVariables {
    variables: Arc<EnvironmentLookup>,
    files: Arc<FileLookup>,
}

impl EnvironmentVariables {
    /// Creates an environment from a lookup function.
    pub fn from_fn(get: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { variables: Arc::new(get), files: Arc::new(|_| None) }
    }

    /// Adds a function that reads files.
    #[must_use]
    pub fn with_files(mut self, read: impl Fn(&Path) -> Option<String> + Send + Sync + 'static) -> Self {
        self.files = Arc::new(read);
        self
    }

    /// Value of a variable, if set and not blank.
    pub fn get(&self, name: &str) -> Option<String> {
        (self.variables)(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// Text of a file, if it exists.
    pub(crate) fn file(&self, path: &Path) -> Option<String> {
        (self.files)(path)
    }
}

/// Omits the values, which may be secrets.
impl fmt::Debug for EnvironmentVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EnvironmentVariables")
    }
}

/// An environment without variables.
pub fn no_environment() -> EnvironmentVariables {
    EnvironmentVariables::from_fn(|_| None)
}

/// The variables of this process and the files of this machine.
pub fn process_environment() -> EnvironmentVariables {
    EnvironmentVariables::from_fn(|name| std::env::var(name).ok()).with_files(|path| {
        let mut text = String::new();
        File::open(path).ok()?.take(MAX_FILE).read_to_string(&mut text).ok()?;
        Some(text)
    })
}
