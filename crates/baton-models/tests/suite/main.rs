//! What a playbook answers, as tables of rules and calls.

#[cfg(test)]
mod ask;
#[cfg(test)]
mod conformance;
mod docs;
#[cfg(test)]
mod examples;
mod fallback;
mod matching;
mod mistakes;
mod never_panics;
mod saying;
mod schema;
mod strict;
