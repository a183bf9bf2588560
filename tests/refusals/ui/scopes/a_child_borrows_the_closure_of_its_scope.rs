fn main() {
    wsrt::task::scope(|scope| {
        let local = String::from("gone before the children are");
        scope.spawn(async { println!("{local}") });
    });
}
