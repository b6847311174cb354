//! IPv4 addresses embedded in IPv6 addresses: a packet to the IPv6 address may reach the IPv4 address.

use super::block::Block;
use std::net::{IpAddr, Ipv4Addr};

/// `::ffff:0:0/96`: IPv4-mapped addresses, the same host as the IPv4 address.
const MAPPED_BLOCK: Block = Block::v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96);
/// `::/96`: deprecated IPv4-compatible addresses, still routed by some systems.
const COMPATIBLE_BLOCK: Block = Block::v6([0; 8], 96);
/// `64:ff9b::/96`: translated by a gateway.
const NAT64_BLOCK: Block = Block::v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);
/// `2002::/16`: tunnelled to the IPv4 address that follows.
const SIX_TO_FOUR_BLOCK: Block = Block::v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16);

/// The IPv4 address embedded in an IPv6 address; `::` and `::1` have none.
pub(super) fn embedded_ipv4(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(v6) = address else { return None };
    let [_, second, third, _, _, _, seventh, eighth] = v6.segments();
    let join = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    if v6.is_unspecified() || v6.is_loopback() {
        None
    } else if [MAPPED_BLOCK, COMPATIBLE_BLOCK, NAT64_BLOCK].iter().any(|block| block.contains(address)) {
        Some(join(seventh, eighth))
    } else if SIX_TO_FOUR_BLOCK.contains(address) {
        Some(join(second, third))
    } else {
        None
    }
}
