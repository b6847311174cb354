//! Embedding cache in files, one per agent, so that every text is embedded once.

use baton_ports::{BoxFuture, CachedVectors, EmbeddingCache};
use baton_system::write_private;
use baton_types::{AgentName, Digest};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Maximum file size; reading a larger file would be slower than computing the embeddings again.
const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;

/// Stores embeddings in a directory, which is created on first write.
#[derive(Clone, Debug)]
pub struct VectorFiles {
    directory: PathBuf,
}

/// File content: embeddings of one model, by the digest of the text.
#[derive(Serialize, Deserialize)]
struct VectorFileContent {
    model: String,
    vectors: CachedVectors,
}

impl VectorFiles {
    /// Creates a cache in this directory.
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
                Ok(content) if content.model == model => content.vectors,
                Ok(_) => CachedVectors::new(),
                Err(error) => {
                    if error.kind() != io::ErrorKind::NotFound {
                        tracing::warn!(%agent, %error, "cached embeddings cannot be read and are computed again");
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
            let content = VectorFileContent { model, vectors: Arc::unwrap_or_clone(vectors) };
            let bytes = serde_json::to_vec(&content).map_err(io::Error::other)?;
            if u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_FILE_BYTES) {
                return Err(io::Error::other("there are too many embeddings to cache"));
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

fn read(path: &Path) -> io::Result<VectorFileContent> {
    if fs::metadata(path)?.len() > MAX_FILE_BYTES {
        return Err(io::Error::other("the file is too large"));
    }
    serde_json::from_slice(&fs::read(path)?).map_err(io::Error::other)
}
