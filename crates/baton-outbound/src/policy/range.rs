//! Classification of addresses that are not public.

use super::block::Block;
use std::{fmt, net::IpAddr};

/// Purpose of an address that is not public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressRange {
    /// This host.
    Loopback,
    /// A private IPv4 network.
    Private,
    /// The local link.
    LinkLocal,
    /// Shared address space of a carrier-grade NAT.
    CarrierShared,
    /// A cloud metadata service, which hands out credentials.
    Metadata,
    /// The unspecified address, or "this network".
    Unspecified,
    /// Multicast group.
    Multicast,
    /// Broadcast on a link.
    Broadcast,
    /// Documentation and examples.
    Documentation,
    /// Benchmarks.
    Benchmark,
    /// A private IPv6 network.
    UniqueLocal,
    /// A private IPv6 network of the deprecated kind.
    SiteLocal,
    /// Reserved for protocols or future use.
    Reserved,
}

/// IPv4 blocks; narrower blocks come first.
const IPV4_BLOCKS: &[(Block, AddressRange)] = &[
    (Block::v4([0, 0, 0, 0], 8), AddressRange::Unspecified),
    (Block::v4([10, 0, 0, 0], 8), AddressRange::Private),
    // Alibaba Cloud, inside the shared address space.
    (Block::v4([100, 100, 100, 200], 32), AddressRange::Metadata),
    (Block::v4([100, 64, 0, 0], 10), AddressRange::CarrierShared),
    (Block::v4([127, 0, 0, 0], 8), AddressRange::Loopback),
    // Azure: a public address that only its machines reach.
    (Block::v4([168, 63, 129, 16], 32), AddressRange::Metadata),
    (Block::v4([169, 254, 169, 254], 32), AddressRange::Metadata),
    // Container credentials.
    (Block::v4([169, 254, 170, 2], 32), AddressRange::Metadata),
    (Block::v4([169, 254, 0, 0], 16), AddressRange::LinkLocal),
    (Block::v4([172, 16, 0, 0], 12), AddressRange::Private),
    // Oracle Cloud, inside the reserved block.
    (Block::v4([192, 0, 0, 192], 32), AddressRange::Metadata),
    (Block::v4([192, 0, 0, 0], 24), AddressRange::Reserved),
    (Block::v4([192, 0, 2, 0], 24), AddressRange::Documentation),
    // 6to4 relays.
    (Block::v4([192, 88, 99, 0], 24), AddressRange::Reserved),
    (Block::v4([192, 168, 0, 0], 16), AddressRange::Private),
    (Block::v4([198, 18, 0, 0], 15), AddressRange::Benchmark),
    (Block::v4([198, 51, 100, 0], 24), AddressRange::Documentation),
    (Block::v4([203, 0, 113, 0], 24), AddressRange::Documentation),
    (Block::v4([224, 0, 0, 0], 4), AddressRange::Multicast),
    (Block::v4([255, 255, 255, 255], 32), AddressRange::Broadcast),
    (Block::v4([240, 0, 0, 0], 4), AddressRange::Reserved),
];

/// IPv6 blocks; narrower blocks come first. An address in none of them is public only inside [`GLOBAL_BLOCK`].
const IPV6_BLOCKS: &[(Block, AddressRange)] = &[
    (Block::v6([0; 8], 128), AddressRange::Unspecified),
    (Block::v6([0, 0, 0, 0, 0, 0, 0, 1], 128), AddressRange::Loopback),
    (Block::v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128), AddressRange::Metadata),
    // Google Cloud.
    (Block::v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128), AddressRange::Metadata),
    (Block::v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), AddressRange::UniqueLocal),
    (Block::v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), AddressRange::LinkLocal),
    (Block::v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), AddressRange::SiteLocal),
    (Block::v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), AddressRange::Multicast),
    (Block::v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48), AddressRange::Benchmark),
    // Teredo and other protocols, never webhook receivers.
    (Block::v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), AddressRange::Reserved),
    (Block::v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), AddressRange::Documentation),
    (Block::v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), AddressRange::Documentation),
    // 6bone, returned.
    (Block::v6([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16), AddressRange::Reserved),
];

/// `2000::/3`: the only IPv6 addresses assigned for public use.
const GLOBAL_BLOCK: Block = Block::v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

impl AddressRange {
    /// The range of an address, or `None` if it is public.
    pub(super) fn classify(address: IpAddr) -> Option<Self> {
        let table = if address.is_ipv4() { IPV4_BLOCKS } else { IPV6_BLOCKS };
        let found = table.iter().find(|(block, _)| block.contains(address)).map(|(_, range)| *range);
        found.or_else(|| (address.is_ipv6() && !GLOBAL_BLOCK.contains(address)).then_some(Self::Reserved))
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loopback => "a loopback address",
            Self::Private => "a private address",
            Self::LinkLocal => "a link-local address",
            Self::CarrierShared => "an address shared by a carrier",
            Self::Metadata => "a cloud metadata address",
            Self::Unspecified => "an unspecified address",
            Self::Multicast => "a multicast address",
            Self::Broadcast => "the broadcast address",
            Self::Documentation => "an address for documentation",
            Self::Benchmark => "an address for benchmarks",
            Self::UniqueLocal => "a unique local address",
            Self::SiteLocal => "a site-local address",
            Self::Reserved => "a reserved address",
        })
    }
}
