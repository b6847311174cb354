//! Errors of Tempo queries.

use baton_outbound::OutboundError;
use baton_span_ports::SpanStoreError;
use baton_traceql::QueryError;
use std::time::Duration;

/// A Tempo cannot be configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The URL is invalid.
    #[error("the address of the Tempo server cannot be used: {0}")]
    Url(String),
    /// The HTTP client cannot be created.
    #[error(transparent)]
    Client(#[from] baton_outbound::SetupError),
}

/// Failure of one query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TempoError {
    /// The Tempo rejected the query.
    #[error("refused the query: {0}")]
    QueryRejected(String),
    /// 404: unknown path or object.
    #[error("does not know this path; is the address right?")]
    NotFound,
    /// 429: too many requests.
    #[error("is overloaded")]
    Busy,
    /// 401 or 403.
    #[error("answered {0}: check the credentials and the tenant in its headers")]
    Denied(u16),
    /// Any other error status.
    #[error("answered {status}: {message}")]
    Status {
        status: u16,
        /// Excerpt of the response body.
        message: String,
    },
    /// The request failed without a response.
    #[error("cannot be queried: {0}")]
    Outbound(OutboundError),
    /// The response was truncated.
    #[error("closed the connection in the middle of its response")]
    Truncated,
    /// The query timed out.
    #[error("did not answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The response cannot be decoded.
    #[error("sent a response that cannot be read: {0}")]
    Malformed(String),
    /// The response exceeds the size limit.
    #[error("sent a response larger than the limit of {} MiB", .0 >> 20)]
    TooLarge(usize),
    /// The result exceeds the memory limit of one query.
    #[error(transparent)]
    Query(QueryError),
    /// The request headers are unavailable.
    #[error("cannot be queried: {0}")]
    Headers(String),
}

impl TempoError {
    /// Whether a retry may succeed.
    pub(crate) fn is_retryable(&self) -> bool {
        match self {
            Self::Busy | Self::Truncated => true,
            Self::Status { status, .. } => matches!(status, 502..=504),
            Self::Outbound(error) => matches!(
                error,
                OutboundError::Unresolved { .. }
                    | OutboundError::Unreachable { .. }
                    | OutboundError::ConnectTimeout(_)
                    | OutboundError::Timeout { .. }
                    | OutboundError::Interrupted { .. }
                    | OutboundError::BodyTimeout { .. }
            ),
            _ => false,
        }
    }

    /// Converts to the store's error; `whose` names the Tempo.
    pub(crate) fn into_store_error(self, endpoint: &str) -> SpanStoreError {
        match self {
            Self::Busy => SpanStoreError::Busy,
            Self::QueryRejected(_) => {
                SpanStoreError::Query(QueryError::Invalid(format!("the Tempo server at {endpoint} {self}")))
            }
            Self::Outbound(OutboundError::Url(reason)) => SpanStoreError::Query(QueryError::Invalid(format!(
                "the query cannot be sent to the Tempo server: its URL {reason}"
            ))),
            Self::Query(error) => SpanStoreError::Query(error),
            Self::TooLarge(_) => SpanStoreError::TooLarge(format!("the Tempo server at {endpoint} {self}")),
            failure => SpanStoreError::Unavailable(format!("the Tempo server at {endpoint} {failure}")),
        }
    }
}
