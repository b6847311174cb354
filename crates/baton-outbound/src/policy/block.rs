//! CIDR blocks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// All addresses with the same network prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    network: IpAddr,
    prefix: u8,
}

impl Block {
    pub(super) const fn v4(network: [u8; 4], prefix: u8) -> Self {
        let [a, b, c, d] = network;
        Self { network: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix }
    }

    pub(super) const fn v6(network: [u16; 8], prefix: u8) -> Self {
        let [a, b, c, d, e, f, g, h] = network;
        Self { network: IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h)), prefix }
    }

    /// The block that contains a single address.
    pub(super) fn from_address(address: IpAddr) -> Self {
        Self { network: address, prefix: bits(address) }
    }

    /// `None` if the prefix is too long for the address.
    pub(super) fn new(network: IpAddr, prefix: u8) -> Option<Self> {
        (prefix <= bits(network)).then_some(Self { network, prefix })
    }

    /// First address of the block.
    pub(super) fn first(self) -> IpAddr {
        match self.network {
            IpAddr::V4(network) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.prefix)).unwrap_or(0);
                IpAddr::V4((u32::from(network) & mask).into())
            }
            IpAddr::V6(network) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.prefix)).unwrap_or(0);
                IpAddr::V6((u128::from(network) & mask).into())
            }
        }
    }

    pub(super) fn contains(self, address: IpAddr) -> bool {
        let shared = match (self.network, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => (u32::from(network) ^ u32::from(address)).leading_zeros(),
            (IpAddr::V6(network), IpAddr::V6(address)) => (u128::from(network) ^ u128::from(address)).leading_zeros(),
            _ => return false,
        };
        shared >= u32::from(self.prefix)
    }
}

fn bits(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}
