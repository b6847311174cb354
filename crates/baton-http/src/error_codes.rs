//! Error codes of the HTTP server, for every family of surfaces.

pub(crate) use baton_api::error_codes::SCOPE_MISSING;

baton_types::error_codes! {
    BODY_TOO_LARGE = "BTN-1002", "The request body is over the limit", "Send a smaller body, or put large content behind a URL part.";
    FORBIDDEN_HOST = "BTN-1005", "The Host or Origin header is not allowed", "Call Baton by its own address, or start it with --public-url or --allow-host; for pages of another origin, with --cors-origin.";
    RATE_LIMITED = "BTN-1012", "Too many requests", "Try again after the time in Retry-After, or raise limits.requests_per_second.";
    REPEATED_HEADER = "BTN-1013", "The request repeats a header that is allowed only once", "Send Host, Origin, Authorization, Content-Length and Content-Type once each; check for a proxy that adds one of them.";
    SHARE_FULL = "BTN-1015", "You have too many of these open at once", "End or close some of them, then try again after the time in Retry-After.";
    MEDIA_TYPE_UNSUPPORTED = "BTN-1017", "The body's type or encoding is not supported", "Send JSON with Content-Type: application/json, uncompressed or with Content-Encoding: gzip.";
}
