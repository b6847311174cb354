//! Targets of telemetry export, as options.

pub use baton_export::{
    Compression, DEFAULT_METRICS_INTERVAL, ExportTarget, LogLayer, LogQueue, OtlpProtocol, Route, Signal,
    from_environment, metrics_interval,
};
