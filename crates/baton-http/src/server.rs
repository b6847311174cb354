//! The whole HTTP server: the routes of all surfaces behind the layers that every request passes.

use crate::{
    HttpContext, RouteEntry, SurfaceRoutes,
    auth::GateLayer,
    compress::CompressLayer,
    cors,
    edge::{EdgeLayer, RequestEdge},
    error_format::RequestHead,
    guard::GuardLayer,
    openapi,
    telemetry::RequestTraceLayer,
};
use axum::{Router, extract::Request};
use std::sync::Arc;
use tower::{ServiceBuilder, util::option_layer};

/// HTTP server, and the table of its operations.
pub struct Surface {
    /// The service: pass it to [`crate::serve`], or call it in memory.
    pub router: Router,
    /// Required access of every route.
    pub operations: Vec<RouteEntry>,
}

/// The server of these surfaces. `edge` sees every request before all other layers.
pub fn surface(
    context: &Arc<HttpContext>,
    surfaces: Vec<SurfaceRoutes>,
    edge: Option<Arc<dyn RequestEdge>>,
) -> Surface {
    let options = &context.options;
    let formats = context.formats.clone();
    let described: Vec<RouteEntry> = surfaces.iter().flat_map(SurfaceRoutes::entries).cloned().collect();
    let document = openapi::mount(context, described);
    let (mut router, mut operations) = (Router::new(), Vec::new());
    for routes in surfaces.into_iter().chain([document]) {
        let (more, entries) = routes.into_parts();
        router = router.merge(more);
        operations.extend(entries);
    }
    let (unknown_path, unknown_method) = (formats.clone(), formats.clone());
    let routes = router
        .fallback(move |request: Request| {
            std::future::ready(unknown_path.unknown_path(RequestHead::from_request(&request)))
        })
        .method_not_allowed_fallback(move |request: Request| {
            std::future::ready(unknown_method.unknown_method(RequestHead::from_request(&request)))
        });
    // Applied around the whole router: a layer inside a router is boxed and cloned once more per request.
    let guarded = ServiceBuilder::new()
        .layer(EdgeLayer::new(edge))
        .layer(RequestTraceLayer::new(options))
        .layer(GuardLayer::new(options, formats.clone()))
        // Outside the authentication layer: browsers send preflight requests without a token.
        .layer(option_layer(cors::layer(&options.cors_origins)))
        .layer(GateLayer::new(context))
        .layer(CompressLayer::new(context.large_requests.clone()))
        .service(routes);
    Surface { router: Router::new().fallback_service(guarded), operations }
}
