//! One binary: linking costs more than running.

mod choice;
mod detect;
mod resolve;
mod sample;
