//! State of the A2A handlers.

use crate::{A2aOptions, signatures::Signatures};
use baton_engine::Engine;
use baton_http::HttpContext;
use baton_ports::CardSigner;
use std::sync::Arc;

/// State of the A2A handlers.
pub(crate) struct A2aState {
    pub(crate) http: Arc<HttpContext>,
    pub(crate) engine: Engine,
    /// Offered features.
    pub(crate) options: A2aOptions,
    /// Signer of agent cards; without it cards are unsigned.
    pub(crate) signer: Option<Arc<dyn CardSigner>>,
    pub(crate) signatures: Signatures,
}
