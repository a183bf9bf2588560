use std::cell::Cell;

wsrt::task_local! {
    inherit static NUMBER: Cell<u32>;
}

fn main() {
    NUMBER.sync_scope(Cell::new(7), || NUMBER.with(Cell::get));
}
