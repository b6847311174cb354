//! Parser of the entries that are allowed in addition to public addresses.

use super::block::Block;
use crate::host::normal_name;
use std::net::IpAddr;

/// One allowed name or block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AllowEntry {
    /// This name.
    Name(String),
    /// All subdomains of a name, stored with the leading dot.
    Subdomains(String),
    /// These addresses.
    Block(Block),
}

/// An entry that cannot be parsed, and therefore allows nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{entry}' cannot be allowed: {problem}")]
pub struct AllowError {
    /// The entry as written.
    pub entry: String,
    /// The problem.
    pub problem: AllowProblem,
}

/// Problem of an allowed entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AllowProblem {
    /// The entry is empty.
    #[error("it is empty")]
    Empty,
    /// Not a host name.
    #[error("write a host name (hooks.internal), its subdomains (*.corp.example), an address or a block (10.0.0.0/8)")]
    Name,
    /// A `*` anywhere but at the front of a name.
    #[error("* matches all subdomains, as in *.corp.example; to allow any address, write 0.0.0.0/0 and ::/0")]
    Star,
    /// The block has no valid address.
    #[error("the part before the slash is not an address")]
    Address,
    /// The prefix is not a number, or too long.
    #[error("the prefix must be a number up to {max}")]
    Prefix {
        /// Maximum prefix length for this kind of address.
        max: u8,
    },
    /// The address is not the first of its block.
    #[error("it begins at {first}; write {first}/{prefix}")]
    HostBits {
        /// First address of the block.
        first: IpAddr,
        /// The prefix as written.
        prefix: u8,
    },
}

impl AllowEntry {
    pub(super) fn parse(entry: &str) -> Result<Self, AllowError> {
        parse_entry(entry.trim()).map_err(|problem| AllowError { entry: entry.to_owned(), problem })
    }

    /// Whether the entry matches the name, given in normal form.
    pub(super) fn matches_name(&self, name: &str) -> bool {
        match self {
            Self::Name(own) => own == name,
            Self::Subdomains(suffix) => name.len() > suffix.len() && name.ends_with(suffix),
            Self::Block(_) => false,
        }
    }

    pub(super) fn contains(&self, address: IpAddr) -> bool {
        matches!(self, Self::Block(block) if block.contains(address))
    }
}

fn parse_entry(text: &str) -> Result<AllowEntry, AllowProblem> {
    if text.is_empty() {
        return Err(AllowProblem::Empty);
    }
    if text.contains("://") {
        return Err(AllowProblem::Name);
    }
    if let Some((address, prefix)) = text.split_once('/') {
        return parse_block(address, prefix).map(AllowEntry::Block);
    }
    if let Ok(address) = strip_brackets(text).parse() {
        return Ok(AllowEntry::Block(Block::from_address(address)));
    }
    match text.strip_prefix("*.") {
        Some(below) if !below.contains('*') => {
            let name = normal_name(below).ok_or(AllowProblem::Name)?;
            Ok(AllowEntry::Subdomains(format!(".{name}")))
        }
        _ if text.contains('*') => Err(AllowProblem::Star),
        _ => normal_name(text).map(AllowEntry::Name).ok_or(AllowProblem::Name),
    }
}

fn parse_block(address: &str, prefix: &str) -> Result<Block, AllowProblem> {
    let address: IpAddr = strip_brackets(address).parse().map_err(|_| AllowProblem::Address)?;
    let wrong = AllowProblem::Prefix { max: if address.is_ipv4() { 32 } else { 128 } };
    let plain = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
    let Some(prefix) = plain.then(|| prefix.parse().ok()).flatten() else { return Err(wrong) };
    let Some(block) = Block::new(address, prefix) else { return Err(wrong) };
    match block.first() {
        first if first == address => Ok(block),
        first => Err(AllowProblem::HostBits { first, prefix }),
    }
}

/// IPv6 addresses may be written in brackets, as in URLs.
fn strip_brackets(text: &str) -> &str {
    text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text)
}
