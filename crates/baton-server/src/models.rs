//! Models of the agents.

mod registry;
mod report;
mod summary;

pub(crate) use registry::{open_registry, with_embeddings};
pub use report::{ModelReport, ModelsReport, ProviderQuery, ProviderReport, ProviderRequest, Readiness};
pub(crate) use summary::summarize;
pub use summary::{AgentModel, DetectedModel, ModelSummary};
