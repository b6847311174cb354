//! A scripted Tempo, and what is made of its answers; two stores, and what they answer together.

#![cfg(test)]

mod answers;
mod circles;
mod failures;
mod limits;
mod naive;
mod scripted;
mod tee;
mod tee_agrees;
mod widened;
mod world;
