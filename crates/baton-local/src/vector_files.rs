//! Vectors of agents' texts in files, one for each agent, so that every text is embedded once.

use crate::write_private;
use baton_ports::{BoxFuture, CachedVectors, EmbeddingCache};
use baton_types::{AgentName, Digest};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Largest file that is read and written; more would be read more slowly than made again.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Keeps vectors in a directory, which is made with the first of them.
#[derive(Clone, Debug)]
pub struct VectorFiles {
    directory: PathBuf,
}

/// What a file holds: vectors of one model, by the digest of the text.
#[derive(Serialize, Deserialize)]
struct Kept {
    model: String,
    vectors: CachedVectors,
}

impl VectorFiles {
    /// In this directory.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }

    fn path(&self, agent: &AgentName) -> PathBuf {
        let name = agent.as_str();
        let is_plain = name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let stem = if is_plain { name.to_owned() } else { Digest::compute(name.as_bytes()).to_string() };
        self.directory.join(format!("{stem}.json"))
    }
}

impl EmbeddingCache for VectorFiles {
    fn read<'a>(&'a self, agent: &'a AgentName, model: &'a str) -> BoxFuture<'a, CachedVectors> {
        let (path, model) = (self.path(agent), model.to_owned());
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || read(&path)).await;
            match read.map_err(io::Error::other).and_then(|read| read) {
                Ok(kept) if kept.model == model => kept.vectors,
                Ok(_) => CachedVectors::new(),
                Err(error) => {
                    if error.kind() != io::ErrorKind::NotFound {
                        tracing::warn!(%agent, %error, "kept vectors cannot be read, and are made again");
                    }
                    CachedVectors::new()
                }
            }
        })
    }

    fn write<'a>(
        &'a self,
        agent: &'a AgentName,
        model: &'a str,
        vectors: Arc<CachedVectors>,
    ) -> BoxFuture<'a, Result<(), String>> {
        let (directory, path, model) = (self.directory.clone(), self.path(agent), model.to_owned());
        let write = move || {
            let kept = Kept { model, vectors: Arc::unwrap_or_clone(vectors) };
            let bytes = serde_json::to_vec(&kept).map_err(io::Error::other)?;
            if u64::try_from(bytes.len()).is_ok_and(|length| length > LARGEST) {
                return Err(io::Error::other("there are more vectors than are worth keeping"));
            }
            fs::create_dir_all(&directory)?;
            write_private(&path, &bytes)
        };
        Box::pin(async move {
            let written = tokio::task::spawn_blocking(write).await;
            written.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
        })
    }
}

fn read(path: &Path) -> io::Result<Kept> {
    if fs::metadata(path)?.len() > LARGEST {
        return Err(io::Error::other("the file is too large"));
    }
    serde_json::from_slice(&fs::read(path)?).map_err(io::Error::other)
}
