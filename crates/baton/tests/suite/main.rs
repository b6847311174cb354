//! The real binary, driven as a person would drive it.

#[cfg(test)]
mod binary;
#[cfg(test)]
mod crash;
mod definitions;
mod demo;
mod help;
#[cfg(test)]
mod kill_loop;
#[cfg(test)]
mod python_client;
mod run;
mod serving;
