//! Validation of target URLs.

use baton_outbound::{OutboundError, Target};

#[test]
fn invalid_urls_are_rejected_with_their_reason() {
    let mut shown = String::new();
    for url in [
        "",
        "hooks.example",
        "/path",
        "//hooks.example/",
        "ftp://hooks.example/",
        "file:///etc/passwd",
        "gopher://hooks.example/",
        "http:/hooks.example",
        "http://",
        "http:///path",
        "http://user@hooks.example/",
        "http://user:secret@hooks.example/",
        "http://hooks.example@10.0.0.1/",
        "http://hooks.example:0/",
        "http://hooks.example:99999/",
        "http://hooks.example:/",
        "http://hooks.example:http/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.0.0.1./",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://[127.0.0.1]/",
        "http://[v1.x]/",
        "http://exa mple/",
        "http://ex%61mple.com/",
        "http://hööks.example/",
        "http://hooks..example/",
        "http://hooks.example\\@10.0.0.1/",
        "http://hooks.example/\r\nHost: other",
    ] {
        match Target::parse(url) {
            Err(OutboundError::Url(reason)) => shown.push_str(&format!("{url:?}: the URL {reason}\n")),
            other => panic!("{url:?} is {other:?}"),
        }
    }
    assert!(Target::parse(&format!("http://hooks.example/{}", "x".repeat(9000))).is_err());
    insta::assert_snapshot!(shown);
}

#[test]
fn origin_is_scheme_host_and_port() {
    let origin = |url: &str| Target::parse(url).unwrap().origin();
    for same in ["https://A.example:443/x?y", "https://a.example./", "https://a.EXAMPLE"] {
        assert_eq!(origin(same), origin("https://a.example/"), "{same}");
    }
    for other in ["http://a.example/", "https://a.example:8443/", "https://b.example/", "https://a.a.example/"] {
        assert_ne!(origin(other), origin("https://a.example/"), "{other}");
    }
    assert_eq!(origin("http://[::1]:80/"), origin("http://[0:0::1]/"));
    let shown = Target::parse("https://hooks.example/secret?token=1").unwrap();
    assert_eq!(format!("{shown} {shown:?}"), "https://hooks.example:443 Target(https://hooks.example:443)");
}
