//! Why a Tempo has no answer.

use baton_outbound::OutboundError;
use baton_ports::SpanStoreError;
use baton_traceql::QueryError;
use std::time::Duration;

/// Why a Tempo cannot be asked at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The address is none.
    #[error("the address of the Tempo cannot be used: {0}")]
    Url(String),
    /// The client cannot be made.
    #[error(transparent)]
    Client(#[from] baton_outbound::SetupError),
}

/// Why one question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// It does not take the query.
    #[error("refused the query: {0}")]
    Refused(String),
    /// It has no such thing.
    #[error("does not know this path; is the address right?")]
    Missing,
    /// It has too much to do.
    #[error("has too much to do")]
    Busy,
    /// It does not let us in.
    #[error("answered {0}: check the credentials and the tenant that it is shown")]
    Denied(u16),
    /// It failed.
    #[error("answered {status}: {said}")]
    Status {
        /// The status.
        status: u16,
        /// The first words of its body.
        said: String,
    },
    /// There was no answer.
    #[error("cannot be asked: {0}")]
    Outbound(OutboundError),
    /// Its answer broke off.
    #[error("broke off in the middle of its answer")]
    Cut,
    /// There was no answer in time.
    #[error("did not answer within {} ms", .0.as_millis())]
    Late(Duration),
    /// Its answer is no answer.
    #[error("gave an answer that cannot be read: {0}")]
    Malformed(String),
    /// Its answer is more than is read.
    #[error("has more to say than the {} MiB that one answer may have", .0 >> 20)]
    TooLarge(usize),
    /// Its answer would take more memory than one query may have.
    #[error(transparent)]
    Query(QueryError),
    /// What we are to show it cannot be had.
    #[error("cannot be asked: {0}")]
    Headers(String),
}

impl Failure {
    /// Whether the same request may work later.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Busy | Self::Cut => true,
            Self::Status { status, .. } => matches!(status, 502..=504),
            Self::Outbound(error) => matches!(
                error,
                OutboundError::Unresolved { .. }
                    | OutboundError::Unreachable { .. }
                    | OutboundError::ConnectTimeout(_)
                    | OutboundError::Timeout { .. }
                    | OutboundError::Interrupted { .. }
                    | OutboundError::Silent { .. }
            ),
            _ => false,
        }
    }

    /// As the store says it; `whose` names the Tempo.
    pub(crate) fn told(self, whose: &str) -> SpanStoreError {
        match self {
            Self::Busy => SpanStoreError::Busy,
            Self::Refused(_) => SpanStoreError::Query(QueryError::Invalid(format!("the Tempo at {whose} {self}"))),
            Self::Outbound(OutboundError::Url(reason)) => SpanStoreError::Query(QueryError::Invalid(format!(
                "the query cannot be sent to a Tempo: its URL {reason}"
            ))),
            Self::Query(error) => SpanStoreError::Query(error),
            Self::TooLarge(_) => SpanStoreError::TooLarge(format!("the Tempo at {whose} {self}")),
            failure => SpanStoreError::Unavailable(format!("the Tempo at {whose} {failure}")),
        }
    }
}
