//! Scopes for `GET /metrics`.

use super::server::{TestServer, bearer, token};
use crate::{
    bindings::{headers, raw},
    meters::meters,
};
use baton_http_telemetry::MeterPorts;
use baton_server::SurfaceOptions;

fn metered(options: &mut SurfaceOptions) {
    options.telemetry.meters = Some(MeterPorts { meters: meters(), now: || 2_000 });
}

#[tokio::test]
async fn metrics_require_a_scope_for_all_agents_or_open_access() {
    let server = TestServer::with_options(|_| {}, metered);
    for (scopes, reads) in [
        ("", false),
        ("read", false),
        ("call", false),
        ("read:weather", false),
        ("telemetry:read", true),
        ("admin", true),
    ] {
        let authorization = bearer(&token("acme", "prometheus", scopes));
        let given = headers(&[("authorization", authorization.as_str())]);
        let status = raw(&server.app, "GET", "/metrics", given, "").await.status();
        let denied = server.audit.take().len();
        assert_eq!((status.as_u16(), denied), if reads { (200, 0) } else { (403, 1) }, "{scopes:?}");
    }
    assert_eq!(raw(&server.app, "GET", "/metrics", headers(&[]), "").await.status(), 401);

    let open = TestServer::with_options(|access| access.open_metrics = true, metered);
    assert_eq!(raw(&open.app, "GET", "/metrics", headers(&[]), "").await.status(), 200);
    assert_eq!(raw(&open.app, "POST", "/metrics", headers(&[]), "").await.status(), 401);
    assert_eq!(raw(&open.app, "GET", "/api/v1/spans/stats", headers(&[]), "").await.status(), 401);
}
