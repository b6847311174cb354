//! Where values of settings come from.

use std::{fmt, sync::Arc};

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Variables by their names; a test brings its own.
#[derive(Clone)]
pub struct Environment(Arc<Lookup>);

impl Environment {
    /// Variables as this function knows them.
    pub fn of(get: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(get))
    }

    /// The value, when it says something.
    pub fn get(&self, name: &str) -> Option<String> {
        (self.0)(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
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

/// The variables of this process.
pub fn process_environment() -> Environment {
    Environment::of(|name| std::env::var(name).ok())
}
