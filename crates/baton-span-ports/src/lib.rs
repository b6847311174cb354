//! The port of the span store, with its requests and results.
//!
//! This crate must never implement the port: `baton-spans` and `baton-tempo` do. It is separate from `baton-ports`,
//! because its requests contain parsed TraceQL, and a change of the query language concerns only its users.
//!
//! Read first: [`SpanStore`] (stores spans, answers queries), [`TraceSearchRequest`] (a search), [`SpanReader`] (bulk
//! reads).

pub mod error_codes;
mod hop_list;
mod reader;
mod store;

pub use hop_list::{ForwardTarget, HopList};
pub use reader::{SpanReadItem, SpanReadRequest, SpanReader};
pub use store::{
    MetricsResult, ServiceStats, SpanBatch, SpanFeed, SpanFeedEvent, SpanMatch, SpanMetricsRequest, SpanStats,
    SpanStore, SpanStoreError, SpansetMatch, TagNames, TagsRequest, TimeRange, TraceMatch, TraceSearchRequest,
    TraceSearchResult,
};
