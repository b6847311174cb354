//! Tests of the crate from outside.

#[cfg(test)]
mod desk;
#[cfg(test)]
mod forger;
#[cfg(test)]
mod gate;
#[cfg(test)]
mod jwt;
#[cfg(test)]
mod over_http;
#[cfg(test)]
mod rotation;
#[cfg(test)]
mod signed_cards;
#[cfg(test)]
mod signer;
#[cfg(test)]
mod signing_keys;
#[cfg(test)]
mod tokens;
