//! Policy for outbound addresses.

mod allow;
mod block;
mod embedded;
mod range;

pub use allow::{AllowError, AllowProblem};
pub use range::AddressRange;

use crate::host::normal_name;
use allow::AllowEntry;
use std::net::IpAddr;

/// Allows public addresses and the configured entries.
///
/// An allowed host may resolve to any address; an allowed block applies to any name. An IPv6 address with an embedded
/// IPv4 address (mapped, compatible, 6to4, NAT64) is checked as that IPv4 address.
#[derive(Clone, Debug, Default)]
pub struct AddressPolicy {
    allowed: Vec<AllowEntry>,
}

impl AddressPolicy {
    /// Allows public addresses only.
    pub fn public_only() -> Self {
        Self::default()
    }

    /// Allows public addresses and these entries: names (`hooks.internal`, `*.corp.example`, `localhost`), addresses
    /// (`::1`) and blocks (`127.0.0.0/8`).
    ///
    /// `localhost` is an ordinary name: it does not allow `127.0.0.1`, so another name that resolves to `127.0.0.1` is
    /// still refused.
    pub fn allowing<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> Result<Self, AllowError> {
        let allowed = entries.into_iter().map(|entry| AllowEntry::parse(entry.as_ref())).collect::<Result<_, _>>()?;
        Ok(Self { allowed })
    }

    /// The same policy with additional entries.
    pub fn with_allowed<T: AsRef<str>>(&self, entries: impl IntoIterator<Item = T>) -> Result<Self, AllowError> {
        let more = Self::allowing(entries)?;
        Ok(Self { allowed: self.allowed.iter().cloned().chain(more.allowed).collect() })
    }

    /// Whether the name is allowed, whatever it resolves to.
    pub fn allows_name(&self, name: &str) -> bool {
        let Some(name) = normal_name(name) else { return false };
        self.allowed.iter().any(|entry| entry.matches_name(&name))
    }

    /// Checks an address; the error is the range that forbids it.
    pub fn check(&self, address: IpAddr) -> Result<(), AddressRange> {
        let carried = embedded::embedded_ipv4(address);
        let allows = |address: IpAddr| self.allowed.iter().any(|entry| entry.contains(address));
        if allows(address) || carried.is_some_and(|inner| allows(inner.into())) {
            return Ok(());
        }
        match AddressRange::classify(carried.map_or(address, IpAddr::from)) {
            None => Ok(()),
            Some(range) => Err(range),
        }
    }
}
