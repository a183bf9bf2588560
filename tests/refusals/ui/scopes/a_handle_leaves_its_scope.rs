fn main() {
    let handle = wsrt::task::scope(|scope| scope.spawn(async { 1 }));
    handle.join();
}
