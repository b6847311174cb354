//! What a playbook answers, as tables of rules and calls; what layers around a model do.

#[cfg(test)]
mod ask;
#[cfg(test)]
mod cassettes;
mod catalog;
#[cfg(test)]
mod conformance;
mod docs;
#[cfg(test)]
mod examples;
mod fallback;
mod layers;
mod matching;
mod mistakes;
mod never_panics;
#[cfg(test)]
mod rescue;
mod saying;
mod schema;
#[cfg(test)]
mod scripted;
mod strict;
