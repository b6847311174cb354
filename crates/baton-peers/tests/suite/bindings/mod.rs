//! Every binding and dialect, against Baton itself and against servers that behave otherwise.

mod all;
mod odd;
mod sent;
