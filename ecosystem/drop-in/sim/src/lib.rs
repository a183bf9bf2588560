//! A shop that takes orders, and its customers: programs for tokio, which know of no simulation.

pub mod customer;
pub mod shop;
