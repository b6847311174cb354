//! Requests that are not traced.

/// Whether a path is polled constantly or concerns telemetry itself.
pub(super) fn is_untraced(path: &str) -> bool {
    const UNTRACED_PATHS: [&str; 7] =
        ["/healthz", "/health", "/readyz", "/metrics", "/v1/traces", "/v1/logs", "/v1/metrics"];
    const UNTRACED_PREFIXES: [&str; 5] = ["/otlp/v1", "/tempo", "/api/v1/spans", "/api/v1/exports", "/assets"];
    let below = |base: &str| path.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    UNTRACED_PATHS.contains(&path)
        || UNTRACED_PREFIXES.into_iter().any(below)
        || path.starts_with("/opentelemetry.proto.collector.")
        || path.starts_with("/tempopb.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_paths() {
        for path in [
            "/healthz",
            "/health",
            "/readyz",
            "/v1/traces",
            "/otlp/v1/traces",
            "/otlp/v1/logs",
            "/v1/metrics",
            "/tempo",
            "/tempo/api/search",
            "/api/v1/spans/tail",
            "/api/v1/exports",
            "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
        ] {
            assert!(is_untraced(path), "{path}");
        }
        for path in ["/", "/agents", "/temporary", "/api/v1/spanset", "/v1/tasks/1", "/healthz/x", "/agents/tempo"] {
            assert!(!is_untraced(path), "{path}");
        }
    }
}
