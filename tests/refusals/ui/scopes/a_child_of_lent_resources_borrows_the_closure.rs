fn main() {
    drop(wsrt::task::scope_with((), async |scope, ()| {
        let local = String::from("gone before the children are");
        scope.spawn(async { println!("{local}") });
    }));
}
