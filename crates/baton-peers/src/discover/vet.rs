//! Check of the URLs in a card.

use crate::BindingChoice;
use baton_outbound::Target;
use baton_wire::a2a::v1::AgentInterface;
use std::net::IpAddr;

/// The usable interfaces of a card from `from`, each with a full URL, and the reasons for the rejection of the others.
///
/// Otherwise a manipulated card could redirect messages and credentials. So an interface must be on the
/// host of the card, on any port, or on a configured host; and a card read over https cannot name an unencrypted
/// interface.
pub(super) fn check_interfaces(
    listed: Vec<AgentInterface>,
    from: &Target,
    hosts: &[String],
) -> (Vec<AgentInterface>, Vec<String>) {
    let (mut usable, mut elsewhere) = (Vec::new(), Vec::new());
    for interface in listed {
        match check_interface(&interface, from, hosts) {
            Ok(url) => usable.push(AgentInterface { url, ..interface }),
            Err(reason) => {
                let url: String = interface.url.chars().take(200).collect();
                elsewhere.push(format!("{url}: {reason}"));
            }
        }
    }
    (usable, elsewhere)
}

fn check_interface(interface: &AgentInterface, from: &Target, hosts: &[String]) -> Result<String, String> {
    let mut url = interface.url.trim().to_owned();
    let is_grpc = BindingChoice::from_card_name(&interface.protocol_binding) == Some(BindingChoice::Grpc);
    if is_grpc && !url.contains("://") {
        // gRPC interfaces may be written `host:port`; the scheme is that of the card.
        let scheme = if from.is_secure() { "https" } else { "http" };
        url = format!("{scheme}://{url}");
    }
    let target = Target::parse(&url).map_err(|error| error.to_string())?;
    if !is_own_host(&target, &from.host(), hosts) {
        return Err(format!("it is at {}, and the card is from {}", target.host(), from.host()));
    }
    if from.is_secure() && !target.is_secure() {
        return Err("it is not encrypted, and the card came over https".to_owned());
    }
    Ok(url)
}

/// Whether a URL is on the peer's own host, on any port, or on a configured host.
pub(crate) fn is_own_host(target: &Target, own: &str, hosts: &[String]) -> bool {
    let host = target.host();
    let with_port = format!("{host}:{}", target.port());
    let named =
        hosts.iter().map(|named| normalize_host(named)).any(|named| same_host(&named, &host) || named == with_port);
    named || same_host(own, &host)
}

/// Whether two hosts are the same name or address, or both are loopback.
fn same_host(one: &str, other: &str) -> bool {
    one == other || is_loopback(one) && is_loopback(other)
}

/// Whether a host is a loopback name or address.
pub(super) fn is_loopback(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Normal form of a configured host.
fn normalize_host(host: &str) -> String {
    let host = host.trim().trim_start_matches('[').trim_end_matches(']');
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interface_urls_are_limited_to_allowed_hosts() {
        let hosts = ["Other.example", "10.1.2.3", "third.example:8443"].map(str::to_owned);
        for (from, binding, url, expect) in [
            ("https://a.example/card", "JSONRPC", "https://a.example/rpc", Ok("https://a.example/rpc")),
            ("https://a.example/card", "JSONRPC", "https://A.Example.:8443/rpc", Ok("https://A.Example.:8443/rpc")),
            ("https://a.example/card", "JSONRPC", "https://other.example/", Ok("https://other.example/")),
            ("https://a.example/card", "JSONRPC", "https://10.1.2.3/", Ok("https://10.1.2.3/")),
            ("https://a.example/card", "GRPC", "third.example:8443", Ok("https://third.example:8443")),
            (
                "https://a.example/card",
                "GRPC",
                "third.example:443",
                Err("it is at third.example, and the card is from a.example"),
            ),
            ("https://a.example/card", "GRPC", "a.example:443", Ok("https://a.example:443")),
            ("http://a.example/card", "GRPC", "a.example:50051", Ok("http://a.example:50051")),
            ("http://a.example/card", "grpc", "https://a.example:50051", Ok("https://a.example:50051")),
            ("http://127.0.0.1:9/card", "JSONRPC", "http://localhost:9/", Ok("http://localhost:9/")),
            ("http://localhost:9/card", "GRPC", "[::1]:10", Ok("http://[::1]:10")),
            (
                "https://a.example/card",
                "JSONRPC",
                "https://evil.example/rpc",
                Err("it is at evil.example, and the card is from a.example"),
            ),
            (
                "https://a.example/card",
                "GRPC",
                "evil.example:443",
                Err("it is at evil.example, and the card is from a.example"),
            ),
            (
                "https://a.example/card",
                "JSONRPC",
                "https://sub.a.example/",
                Err("it is at sub.a.example, and the card is from a.example"),
            ),
            (
                "https://a.example/card",
                "JSONRPC",
                "http://169.254.169.254/latest",
                Err("it is at 169.254.169.254, and the card is from a.example"),
            ),
            (
                "https://a.example/card",
                "JSONRPC",
                "http://127.0.0.1/",
                Err("it is at 127.0.0.1, and the card is from a.example"),
            ),
            (
                "https://a.example/card",
                "JSONRPC",
                "http://a.example/rpc",
                Err("it is not encrypted, and the card came over https"),
            ),
            ("https://a.example/card", "JSONRPC", "a.example:443", Err("the URL must begin with http:// or https://")),
            ("https://a.example/card", "JSONRPC", "/rpc", Err("the URL must begin with http:// or https://")),
            ("https://a.example/card", "GRPC", "dns:///a.example", Err("the URL is malformed")),
            (
                "https://a.example/card",
                "JSONRPC",
                "https://a.example@evil.example/",
                Err("the URL must not contain a user name or password"),
            ),
        ] {
            let interface = AgentInterface {
                url: url.to_owned(),
                protocol_binding: binding.to_owned(),
                ..AgentInterface::default()
            };
            let vetted = check_interface(&interface, &Target::parse(from).unwrap(), &hosts);
            assert_eq!(vetted.as_deref().map_err(String::as_str), expect, "{from} {url}");
        }
    }
}
