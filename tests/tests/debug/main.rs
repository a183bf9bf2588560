//! wsrt-debug's pages show what the program does, whatever it does, and to nobody else.

mod browser;
mod client;
mod doors;
mod pages;
mod service;
mod stuck;
mod variable;
