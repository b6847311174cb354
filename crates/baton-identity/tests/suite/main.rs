//! Integration tests of tokens, keys and card signatures.

#[cfg(test)]
mod authenticator;
#[cfg(test)]
mod forger;
#[cfg(test)]
mod issuer_fixture;
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
