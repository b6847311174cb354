//! One binary: linking costs more than running.

mod choice;
mod detect;
mod lineup;
mod resolve;
mod sample;
