//! The part of a client's address that one customer of a network has.

use std::net::{IpAddr, Ipv6Addr};

/// What one customer of a network has: an address of IPv4, or all that begin with the same 64 bits.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
    }
}
