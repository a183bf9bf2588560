//! Nothing: the tests are all.
