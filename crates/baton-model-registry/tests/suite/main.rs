//! One binary: linking costs more than running.

#[cfg(test)]
mod choice;
#[cfg(test)]
mod detect;
#[cfg(test)]
mod lineup;
#[cfg(test)]
mod resolve;
#[cfg(test)]
mod sample;
