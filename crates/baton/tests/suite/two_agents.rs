//! The two-agent demo of the README: a personal assistant that hands weather questions to a weather agent, in one
//! process and in two, with tools that the agents run and with tools that their caller runs.

mod checklist;
mod environment;
mod flow;
mod refusals;
mod sampling;
mod team;
mod terminals;
mod traced;
