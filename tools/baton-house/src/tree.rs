//! The repository's text files, as values.

use std::{collections::BTreeMap, fs, io, path::Path};

/// Folders with build output, generated code or third-party files.
const SKIPPED_FOLDERS: &[&str] = &["target", "node_modules", "__pycache__", "out", "generated"];

/// Larger files are data, not text.
const MAX_BYTES: u64 = 1024 * 1024;

/// Text by path, with `/` as the separator on every system.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Reads every text file under `root`, without build output and without hidden folders other than the project's
    /// own.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        tree.read_folder(root, "")?;
        Ok(tree)
    }

    /// Creates a tree from given files.
    pub fn from_files<const N: usize>(files: [(&str, &str); N]) -> Self {
        Self { files: files.map(|(path, text)| (path.to_owned(), text.to_owned())).into() }
    }

    /// The text of one file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Every file, in path order.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Every Rust file.
    pub fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(|(path, _)| path.ends_with(".rs"))
    }

    fn read_folder(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type()?;
            let hidden = name.starts_with('.') && !matches!(name.as_str(), ".ci" | ".config");
            if kind.is_dir() && !hidden && !SKIPPED_FOLDERS.contains(&name.as_str()) {
                self.read_folder(&entry.path(), &format!("{prefix}{name}/"))?;
            } else if kind.is_file() && !is_temporary(&name) && entry.metadata()?.len() <= MAX_BYTES {
                let bytes = fs::read(entry.path())?;
                if let Ok(text) = String::from_utf8(bytes) {
                    self.files.insert(format!("{prefix}{name}"), text);
                }
            }
        }
        Ok(())
    }
}

fn is_temporary(name: &str) -> bool {
    // In a worktree, a file points to the repository.
    name == ".git" || [".snap.new", ".pending-snap", ".profraw", ".swp", "~"].iter().any(|end| name.ends_with(end))
}

/// Whether a Rust file is a test rather than source.
pub(crate) fn is_test(path: &str) -> bool {
    path.starts_with("tests/")
        || path.contains("/tests/")
        || path.ends_with("_tests.rs")
        || path.ends_with("/tests.rs")
        || path.contains("/benches/")
}
