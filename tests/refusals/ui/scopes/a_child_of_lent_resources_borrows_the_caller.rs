fn main() {
    let local = String::from("the future may be forgotten");
    drop(wsrt::task::scope_with((), async |scope, ()| {
        let local = &local;
        scope.spawn(async move { println!("{local}") });
    }));
}
