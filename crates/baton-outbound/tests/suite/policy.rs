//! Address ranges, one row each, and the allow entries that open them.

use baton_outbound::{AddressPolicy, AddressRange};
use proptest::prelude::*;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An address, its range (`None` for public), and an entry that allows it.
const ROWS: &[(&str, Option<AddressRange>, &str)] = &[
    ("8.8.8.8", None, ""),
    ("1.1.1.1", None, ""),
    ("93.184.216.34", None, ""),
    ("172.15.255.255", None, ""),
    ("172.32.0.0", None, ""),
    ("100.63.255.255", None, ""),
    ("100.128.0.0", None, ""),
    ("192.167.255.255", None, ""),
    ("198.17.255.255", None, ""),
    ("198.20.0.0", None, ""),
    ("223.255.255.255", None, ""),
    ("168.63.129.17", None, ""),
    ("2606:4700:4700::1111", None, ""),
    ("2a00:1450:4001::1", None, ""),
    ("2001:4860:4860::8888", None, ""),
    ("2001:200::1", None, ""),
    ("::ffff:8.8.8.8", None, ""),
    ("64:ff9b::808:808", None, ""),
    ("2002:808:808::1", None, ""),
    ("0.0.0.0", Some(AddressRange::Unspecified), "0.0.0.0/8"),
    ("0.1.2.3", Some(AddressRange::Unspecified), "0.0.0.0/8"),
    ("10.0.0.1", Some(AddressRange::Private), "10.0.0.0/8"),
    ("10.255.255.255", Some(AddressRange::Private), "10.0.0.0/8"),
    ("172.16.0.1", Some(AddressRange::Private), "172.16.0.0/12"),
    ("172.31.255.255", Some(AddressRange::Private), "172.31.255.255"),
    ("192.168.1.1", Some(AddressRange::Private), "192.168.0.0/16"),
    ("127.0.0.1", Some(AddressRange::Loopback), "127.0.0.0/8"),
    ("127.255.255.254", Some(AddressRange::Loopback), "127.0.0.0/8"),
    ("169.254.0.1", Some(AddressRange::LinkLocal), "169.254.0.0/16"),
    ("169.254.169.254", Some(AddressRange::Metadata), "169.254.169.254/32"),
    ("169.254.170.2", Some(AddressRange::Metadata), "169.254.0.0/16"),
    ("168.63.129.16", Some(AddressRange::Metadata), "168.63.129.16"),
    ("100.64.0.1", Some(AddressRange::CarrierShared), "100.64.0.0/10"),
    ("100.127.255.255", Some(AddressRange::CarrierShared), "100.64.0.0/10"),
    ("100.100.100.200", Some(AddressRange::Metadata), "100.64.0.0/10"),
    ("192.0.0.1", Some(AddressRange::Reserved), "192.0.0.0/24"),
    ("192.0.0.192", Some(AddressRange::Metadata), "192.0.0.0/24"),
    ("192.0.2.7", Some(AddressRange::Documentation), "192.0.2.0/24"),
    ("198.51.100.7", Some(AddressRange::Documentation), "0.0.0.0/0"),
    ("203.0.113.7", Some(AddressRange::Documentation), "0.0.0.0/0"),
    ("192.88.99.1", Some(AddressRange::Reserved), "0.0.0.0/0"),
    ("198.18.0.1", Some(AddressRange::Benchmark), "198.18.0.0/15"),
    ("198.19.255.255", Some(AddressRange::Benchmark), "198.18.0.0/15"),
    ("224.0.0.1", Some(AddressRange::Multicast), "224.0.0.0/4"),
    ("239.255.255.255", Some(AddressRange::Multicast), "224.0.0.0/4"),
    ("240.0.0.1", Some(AddressRange::Reserved), "240.0.0.0/4"),
    ("255.255.255.255", Some(AddressRange::Broadcast), "255.255.255.255"),
    ("::", Some(AddressRange::Unspecified), "::"),
    ("::1", Some(AddressRange::Loopback), "::1"),
    ("::2", Some(AddressRange::Unspecified), "::/96"),
    ("fc00::1", Some(AddressRange::UniqueLocal), "fc00::/7"),
    ("fdff:ffff::1", Some(AddressRange::UniqueLocal), "fc00::/7"),
    ("fd00:ec2::254", Some(AddressRange::Metadata), "fd00::/8"),
    ("fd20:ce::254", Some(AddressRange::Metadata), "fd00::/8"),
    ("fe80::1", Some(AddressRange::LinkLocal), "fe80::/10"),
    ("febf::1", Some(AddressRange::LinkLocal), "fe80::/10"),
    ("fec0::1", Some(AddressRange::SiteLocal), "fec0::/10"),
    ("ff02::1", Some(AddressRange::Multicast), "ff00::/8"),
    ("2001:db8::1", Some(AddressRange::Documentation), "2001:db8::/32"),
    ("3fff:fff::1", Some(AddressRange::Documentation), "3fff::/20"),
    ("2001:2::1", Some(AddressRange::Benchmark), "2001:2::/48"),
    ("2001:0:4136:e378::1", Some(AddressRange::Reserved), "2001::/32"),
    ("3ffe::1", Some(AddressRange::Reserved), "::/0"),
    ("100::1", Some(AddressRange::Reserved), "100::/64"),
    ("5f00::1", Some(AddressRange::Reserved), "::/0"),
    ("4000::1", Some(AddressRange::Reserved), "::/0"),
    ("64:ff9b:1::1", Some(AddressRange::Reserved), "::/0"),
    ("::ffff:127.0.0.1", Some(AddressRange::Loopback), "127.0.0.0/8"),
    ("::ffff:10.0.0.1", Some(AddressRange::Private), "::ffff:10.0.0.0/104"),
    ("::ffff:169.254.169.254", Some(AddressRange::Metadata), "169.254.0.0/16"),
    ("::ffff:0.0.0.0", Some(AddressRange::Unspecified), "0.0.0.0"),
    ("::127.0.0.1", Some(AddressRange::Loopback), "127.0.0.1"),
    ("::10.1.2.3", Some(AddressRange::Private), "10.0.0.0/8"),
    ("64:ff9b::7f00:1", Some(AddressRange::Loopback), "127.0.0.0/8"),
    ("64:ff9b::a9fe:a9fe", Some(AddressRange::Metadata), "64:ff9b::/96"),
    ("64:ff9b::c0a8:101", Some(AddressRange::Private), "192.168.1.0/24"),
    ("2002:7f00:1::1", Some(AddressRange::Loopback), "127.0.0.0/8"),
    ("2002:a00:1::", Some(AddressRange::Private), "10.0.0.1"),
    ("2002:a9fe:a9fe::1", Some(AddressRange::Metadata), "2002::/16"),
    ("2002:e000:1::1", Some(AddressRange::Multicast), "2002::/16"),
];

#[test]
fn only_public_addresses_may_be_called_unless_allowed() {
    let plain = AddressPolicy::public_only();
    let mut wrong = Vec::new();
    for (text, range, entry) in ROWS {
        let address: IpAddr = text.parse().unwrap();
        if plain.check(address).err() != *range {
            wrong.push(format!("{text}: {:?} instead of {range:?}", plain.check(address)));
        }
        if range.is_some() && AddressPolicy::allowing([entry]).unwrap().check(address).is_err() {
            wrong.push(format!("{text} stays refused with {entry}"));
        }
        // A block allows only its own addresses.
        if let Some(range) = range
            && AddressPolicy::allowing(["1.2.3.0/24", "2a00::/16", "hooks.internal"]).unwrap().check(address)
                != Err(*range)
        {
            wrong.push(format!("{text} is opened by an entry about something else"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

proptest! {
    #[test]
    fn embedded_ipv4_is_never_more_public_than_plain(bits: u32, low: u64) {
        let plain = AddressPolicy::public_only();
        let v4 = Ipv4Addr::from(bits);
        let bits = u128::from(bits);
        let wrapped = [
            u128::from(v4.to_ipv6_mapped()),
            (0x64_ff9b_u128 << 96) | bits,
            (0x2002_u128 << 112) | (bits << 80) | u128::from(low),
            bits,
        ];
        for wrapped in wrapped.map(Ipv6Addr::from) {
            if plain.check(v4.into()).is_err() {
                prop_assert!(plain.check(wrapped.into()).is_err(), "{wrapped} passes although {v4} does not");
            }
        }
    }

    #[test]
    fn block_contains_the_addresses_with_its_prefix(bits: u128, prefix in 0_u8..=128, other: u128) {
        let keep = u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0);
        let first = Ipv6Addr::from(bits & keep);
        let policy = AddressPolicy::allowing([format!("{first}/{prefix}")]).unwrap();
        prop_assert!(policy.check(Ipv6Addr::from(bits).into()).is_ok());
        let outside = Ipv6Addr::from(other);
        if other & keep != bits & keep && AddressPolicy::public_only().check(outside.into()).is_err() {
            prop_assert!(policy.check(outside.into()).is_err());
        }
    }
}
