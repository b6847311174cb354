//! Which addresses may be called.

mod allow;
mod block;
mod embedded;
mod range;

pub use allow::{AllowError, AllowProblem};
pub use range::Range;

use crate::host::normal_name;
use allow::Entry;
use std::net::IpAddr;

/// Public addresses, and what was allowed besides.
///
/// An allowed host may resolve to any address; an allowed block allows its addresses whatever the name. An IPv6 address
/// that carries an IPv4 address (mapped, compatible, 6to4, NAT64) is judged as that.
#[derive(Clone, Debug, Default)]
pub struct AddressPolicy {
    allowed: Vec<Entry>,
}

impl AddressPolicy {
    /// Public addresses and nothing else.
    pub fn public_only() -> Self {
        Self::default()
    }

    /// Public addresses, and these: names (`hooks.internal`, `*.corp.example`, `localhost`), addresses (`::1`) and
    /// blocks (`127.0.0.0/8`).
    ///
    /// `localhost` is a name like any other: it does not allow `127.0.0.1`, so that a foreign name which resolves
    /// there stays refused.
    pub fn allowing<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> Result<Self, AllowError> {
        let allowed = entries.into_iter().map(|entry| Entry::parse(entry.as_ref())).collect::<Result<_, _>>()?;
        Ok(Self { allowed })
    }

    /// What is allowed here, and these as well.
    pub fn and<T: AsRef<str>>(&self, entries: impl IntoIterator<Item = T>) -> Result<Self, AllowError> {
        let more = Self::allowing(entries)?;
        Ok(Self { allowed: self.allowed.iter().cloned().chain(more.allowed).collect() })
    }

    /// Whether the name was allowed, so that it does not matter where it leads.
    pub fn allows_name(&self, name: &str) -> bool {
        let Some(name) = normal_name(name) else { return false };
        self.allowed.iter().any(|entry| entry.matches_name(&name))
    }

    /// Whether the address may be called, or the range that forbids it.
    pub fn check(&self, address: IpAddr) -> Result<(), Range> {
        let carried = embedded::carried(address);
        let allows = |address: IpAddr| self.allowed.iter().any(|entry| entry.contains(address));
        if allows(address) || carried.is_some_and(|inner| allows(inner.into())) {
            return Ok(());
        }
        match Range::of(carried.map_or(address, IpAddr::from)) {
            None => Ok(()),
            Some(range) => Err(range),
        }
    }
}
