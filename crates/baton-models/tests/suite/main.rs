//! Playbook responses as tables of rules and calls; layers around models.

mod actions;
#[cfg(test)]
mod calls;
#[cfg(test)]
mod cassettes;
mod catalog;
#[cfg(test)]
mod conformance;
mod diagnostics;
mod docs;
#[cfg(test)]
mod examples;
mod fallback;
mod layers;
mod matching;
mod never_panics;
#[cfg(test)]
mod playbook_retries;
#[cfg(test)]
mod rescue;
mod schema;
#[cfg(test)]
mod scripted_model;
mod strict;
