//! Integration tests of model selection, one binary because linking costs more than running.

#[cfg(test)]
mod choice;
#[cfg(test)]
mod detect;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod registry;
#[cfg(test)]
mod resolve;
