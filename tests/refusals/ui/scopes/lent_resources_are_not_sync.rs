use std::cell::Cell;

fn main() {
    drop(wsrt::task::scope_with(Cell::new(1), async |scope, number| {
        scope.spawn(async move { number.set(2) });
    }));
}
