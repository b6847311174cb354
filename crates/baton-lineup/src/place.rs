//! Where values of settings come from.

use std::{fmt, fs::File, io::Read, path::Path, sync::Arc};

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;
type Files = dyn Fn(&Path) -> Option<String> + Send + Sync;

/// Largest file of settings that is read.
const MAX_FILE: u64 = 1 << 20;

/// Variables by their names, and the files that some of them lead to; a test brings its own.
#[derive(Clone)]
pub struct Environment {
    variables: Arc<Lookup>,
    files: Arc<Files>,
}

impl Environment {
    /// Variables as this function knows them.
    pub fn of(get: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { variables: Arc::new(get), files: Arc::new(|_| None) }
    }

    /// With files as this function reads them.
    #[must_use]
    pub fn with_files(mut self, read: impl Fn(&Path) -> Option<String> + Send + Sync + 'static) -> Self {
        self.files = Arc::new(read);
        self
    }

    /// The value, when it says something.
    pub fn get(&self, name: &str) -> Option<String> {
        (self.variables)(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// The text of a file, when there is one.
    pub(crate) fn file(&self, path: &Path) -> Option<String> {
        (self.files)(path)
    }
}

/// Values may be secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Environment")
    }
}

/// Without any variable.
pub fn no_environment() -> Environment {
    Environment::of(|_| None)
}

/// The variables of this process, and the files of this machine.
pub fn process_environment() -> Environment {
    Environment::of(|name| std::env::var(name).ok()).with_files(|path| {
        let mut text = String::new();
        File::open(path).ok()?.take(MAX_FILE).read_to_string(&mut text).ok()?;
        Some(text)
    })
}
