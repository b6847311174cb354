//! How it goes with those who are sent what is kept here.

/// How things stand with one who is sent something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ExportState {
    /// Nothing was sent yet.
    #[default]
    Idle,
    /// What was sent last was decided.
    Well,
    /// It does not answer, or has no time; it is tried again.
    Away {
        /// As it showed.
        why: String,
    },
    /// It turns everything away until somebody changes a setting, here or there; it is tried again now and then.
    Blocked {
        /// As it said it.
        why: String,
    },
}

/// What became of everything of one kind that somebody was to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportReport {
    /// What the target is called.
    pub target: String,
    /// Where it is: scheme, host and port, nothing that may be secret.
    pub place: String,
    /// What it is sent: `traces`, `metrics` or `logs`.
    pub signal: &'static str,
    /// Whether nobody named it.
    pub assumed: bool,
    /// How things stand.
    pub state: ExportState,
    /// How many items it took.
    pub sent: u64,
    /// How many it refused for good.
    pub failed: u64,
    /// How many went because too many waited.
    pub dropped: u64,
    /// How many bytes wait.
    pub waiting_bytes: u64,
}

/// Knows how it goes with those who are sent what is kept here.
pub trait Exports: Send + Sync + 'static {
    /// One report for each target and each kind of thing that it is sent.
    fn reports(&self) -> Vec<ExportReport>;
}
