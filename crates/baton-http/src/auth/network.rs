//! Network prefix of a client address, for rate limits.

use std::net::{IpAddr, Ipv6Addr};

/// Prefix assigned to one customer of a network: an IPv4 address or an IPv6 /64.
pub(super) fn client_network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
    }
}
