//! Who may read the meters.

use super::house::{House, bearer, token};
use crate::{
    meters::meters,
    speak::{headers, raw},
};
use baton_http::{HttpOptions, MeterPorts};

fn metered(options: &mut HttpOptions) {
    options.meters = Some(MeterPorts { meters: meters(), now: || 2_000 });
}

#[tokio::test]
async fn meters_are_read_with_a_scope_for_all_agents_or_by_everybody() {
    let house = House::of(|_| {}, metered);
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
        let status = raw(&house.app, "GET", "/metrics", given, "").await.status();
        let denied = house.denied.take().len();
        assert_eq!((status.as_u16(), denied), if reads { (200, 0) } else { (403, 1) }, "{scopes:?}");
    }
    assert_eq!(raw(&house.app, "GET", "/metrics", headers(&[]), "").await.status(), 401);

    let open = House::of(|access| access.open_metrics = true, metered);
    assert_eq!(raw(&open.app, "GET", "/metrics", headers(&[]), "").await.status(), 200);
    assert_eq!(raw(&open.app, "POST", "/metrics", headers(&[]), "").await.status(), 401);
    assert_eq!(raw(&open.app, "GET", "/api/v1/spans/stats", headers(&[]), "").await.status(), 401);
}
