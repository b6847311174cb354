//! `baton tools`: lists, calls, forms, and servers that do not work.

mod forms;
mod questions;
mod servers;
