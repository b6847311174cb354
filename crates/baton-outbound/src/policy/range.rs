//! Addresses that are not the public's, by what they are for.

use super::block::Block;
use std::{fmt, net::IpAddr};

/// What an address is for, when it is not a public one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Range {
    /// This machine.
    Loopback,
    /// A private IPv4 network.
    Private,
    /// The link that the machine is on.
    LinkLocal,
    /// The network of a provider, behind its address translation.
    CarrierShared,
    /// A cloud's metadata service, which gives away credentials.
    Metadata,
    /// No address, or any of this machine.
    Unspecified,
    /// Many receivers.
    Multicast,
    /// All receivers of a link.
    Broadcast,
    /// For examples.
    Documentation,
    /// For measuring.
    Benchmark,
    /// A private IPv6 network.
    UniqueLocal,
    /// A private IPv6 network of the older kind.
    SiteLocal,
    /// Set aside for protocols or for later.
    Reserved,
}

/// IPv4, the narrower block first.
const V4: &[(Block, Range)] = &[
    (Block::v4([0, 0, 0, 0], 8), Range::Unspecified),
    (Block::v4([10, 0, 0, 0], 8), Range::Private),
    // Alibaba's, inside of the shared block.
    (Block::v4([100, 100, 100, 200], 32), Range::Metadata),
    (Block::v4([100, 64, 0, 0], 10), Range::CarrierShared),
    (Block::v4([127, 0, 0, 0], 8), Range::Loopback),
    // Azure's, a public address that only its machines reach.
    (Block::v4([168, 63, 129, 16], 32), Range::Metadata),
    (Block::v4([169, 254, 169, 254], 32), Range::Metadata),
    // Credentials of containers.
    (Block::v4([169, 254, 170, 2], 32), Range::Metadata),
    (Block::v4([169, 254, 0, 0], 16), Range::LinkLocal),
    (Block::v4([172, 16, 0, 0], 12), Range::Private),
    // Oracle's, inside of the reserved block.
    (Block::v4([192, 0, 0, 192], 32), Range::Metadata),
    (Block::v4([192, 0, 0, 0], 24), Range::Reserved),
    (Block::v4([192, 0, 2, 0], 24), Range::Documentation),
    // Relays of 6to4.
    (Block::v4([192, 88, 99, 0], 24), Range::Reserved),
    (Block::v4([192, 168, 0, 0], 16), Range::Private),
    (Block::v4([198, 18, 0, 0], 15), Range::Benchmark),
    (Block::v4([198, 51, 100, 0], 24), Range::Documentation),
    (Block::v4([203, 0, 113, 0], 24), Range::Documentation),
    (Block::v4([224, 0, 0, 0], 4), Range::Multicast),
    (Block::v4([255, 255, 255, 255], 32), Range::Broadcast),
    (Block::v4([240, 0, 0, 0], 4), Range::Reserved),
];

/// IPv6, the narrower block first; what is in none of them is public only inside of [`GLOBAL`].
const V6: &[(Block, Range)] = &[
    (Block::v6([0; 8], 128), Range::Unspecified),
    (Block::v6([0, 0, 0, 0, 0, 0, 0, 1], 128), Range::Loopback),
    (Block::v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128), Range::Metadata),
    // Google's.
    (Block::v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128), Range::Metadata),
    (Block::v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), Range::UniqueLocal),
    (Block::v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), Range::LinkLocal),
    (Block::v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), Range::SiteLocal),
    (Block::v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), Range::Multicast),
    (Block::v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48), Range::Benchmark),
    // Teredo and other protocols; nobody serves webhooks there.
    (Block::v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), Range::Reserved),
    (Block::v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), Range::Documentation),
    (Block::v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), Range::Documentation),
    // The first test network, given back.
    (Block::v6([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16), Range::Reserved),
];

/// `2000::/3`: the only addresses of IPv6 that are given to the public.
const GLOBAL: Block = Block::v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

impl Range {
    /// The range of an address, or `None` when it is public.
    pub(super) fn of(address: IpAddr) -> Option<Self> {
        let table = if address.is_ipv4() { V4 } else { V6 };
        let found = table.iter().find(|(block, _)| block.contains(address)).map(|(_, range)| *range);
        found.or_else(|| (address.is_ipv6() && !GLOBAL.contains(address)).then_some(Self::Reserved))
    }
}

/// What to call such an address.
impl fmt::Display for Range {
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
