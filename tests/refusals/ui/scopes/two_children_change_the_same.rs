fn main() {
    let mut count = 0;
    wsrt::task::scope(|scope| {
        scope.spawn(async { count += 1 });
        scope.spawn(async { count += 1 });
    });
}
