//! Nothing but a dependency: with this package in the tree, wsrt shows its tasks as spans.
