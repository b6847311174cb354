//! Public paths.

use http::Method;

/// Path of the metrics endpoint.
const METRICS_PATH: &str = "/metrics";

/// Whether agent cards and agent lists are public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CardVisibility {
    Public,
    Private,
}

/// Whether metrics are public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetricsVisibility {
    Public,
    Private,
}

/// Whether a request needs no credentials.
///
/// Paths are compared verbatim: a path in another spelling needs credentials, even if it leads to the same resource.
pub(super) fn is_public(method: &Method, path: &str, cards: CardVisibility, metrics: MetricsVisibility) -> bool {
    if *method == Method::POST {
        return is_peer_notification(path);
    }
    if *method != Method::GET && *method != Method::HEAD {
        return false;
    }
    let document = path.strip_prefix("/.well-known/");
    let always = matches!(path, "/healthz" | "/health" | "/readyz" | "/api/openapi.json")
        || document == Some("jwks.json")
        || document.and_then(|name| name.strip_prefix("oauth-protected-resource")).is_some_and(is_end);
    always
        || cards == CardVisibility::Public && is_card_path(path)
        || metrics == MetricsVisibility::Public && path == METRICS_PATH
}

/// Push notifications of peers about delegated tasks. They carry a one-time token, which the receiving handler checks.
fn is_peer_notification(path: &str) -> bool {
    path.strip_prefix("/api/v1/peers/notifications/").is_some_and(|id| !id.is_empty() && !id.contains('/'))
}

/// Agent cards, and documents and pages that list agents.
fn is_card_path(path: &str) -> bool {
    match path.strip_prefix("/agents/") {
        Some(below) => match below.split_once('/').unwrap_or((below, "")) {
            // Used by clients that resolve the card path against a base URL without a trailing slash.
            (".well-known", document) => matches!(document, "agent-card.json" | "agent.json"),
            (agent, "") => !agent.is_empty(),
            (_agent, suffix) => suffix.strip_prefix(".well-known/").is_some_and(is_card),
        },
        None if path == "/" || path == "/agents" => true,
        None => path.strip_prefix("/.well-known/").is_some_and(|name| is_card(name) || name == "ai-catalog.json"),
    }
}

fn is_card(document: &str) -> bool {
    matches!(document, "agent-card.json" | "agent.json" | "contextcore.json" | "jwks.json")
}

fn is_end(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_paths() {
        let cards = [
            "/",
            "/agents",
            "/.well-known/agent-card.json",
            "/.well-known/agent.json",
            "/.well-known/contextcore.json",
            "/.well-known/ai-catalog.json",
            "/agents/weather/.well-known/agent-card.json",
            "/agents/weather/.well-known/agent.json",
            "/agents/weather/.well-known/contextcore.json",
            "/agents/weather/.well-known/jwks.json",
            "/agents/weather",
            "/agents/weather/",
            "/agents/.well-known/agent-card.json",
            "/agents/.well-known/agent.json",
        ];
        let always = [
            "/healthz",
            "/health",
            "/readyz",
            "/api/openapi.json",
            "/.well-known/jwks.json",
            "/.well-known/oauth-protected-resource",
            "/.well-known/oauth-protected-resource/agents/weather",
        ];
        let never = [
            "/.well-known/tasks",
            "/.well-known/tasks/1",
            "/.well-known/oauth-protected-resources",
            "/agents/weather/.well-known/tasks",
            "/agents/weather/.well-known/agent-card.json/",
            "/agents/weather//",
            "/agents/weather/tasks",
            "/agents/.well-known",
            "/agents/.well-known/contextcore.json",
            "/agents/.well-known/tasks",
            "/%61gents",
            "/agents/",
            "//",
            "/api/v1/tasks/1",
            "/api/v1/tokens",
            "/api/",
            "/api/openapi.json/",
            "/api/v1/peers/notifications/1",
            "/metrics",
            "/nowhere",
        ];
        for method in [Method::GET, Method::HEAD] {
            let open = |path: &&str, cards| is_public(&method, path, cards, MetricsVisibility::Private);
            assert!(
                cards.iter().all(|path| open(path, CardVisibility::Public) && !open(path, CardVisibility::Private))
            );
            assert!(
                always.iter().all(|path| open(path, CardVisibility::Public) && open(path, CardVisibility::Private))
            );
            assert!(
                !never.iter().any(|path| open(path, CardVisibility::Public) || open(path, CardVisibility::Private))
            );
        }
        let metrics = |method, path| is_public(method, path, CardVisibility::Private, MetricsVisibility::Public);
        assert!(metrics(&Method::GET, "/metrics") && !metrics(&Method::POST, "/metrics"));
        assert!(!metrics(&Method::GET, "/metrics/") && !metrics(&Method::GET, "/api/v1/spans/stats"));
        for path in cards.iter().chain(&always).chain(&never) {
            let told = *path == "/api/v1/peers/notifications/1";
            assert_eq!(
                is_public(&Method::POST, path, CardVisibility::Public, MetricsVisibility::Public),
                told,
                "{path}"
            );
            assert!(!is_public(&Method::DELETE, path, CardVisibility::Public, MetricsVisibility::Public), "{path}");
        }
    }
}
