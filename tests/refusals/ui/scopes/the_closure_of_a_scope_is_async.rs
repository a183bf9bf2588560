fn main() {
    let text = String::from("a call that blocks takes a closure that does not wait");
    wsrt::task::scope(async |scope| {
        scope.spawn(async { println!("{text}") }).await;
    });
}
