fn main() {
    let local = String::from("the future may be forgotten");
    drop(wsrt::task::scope_with(&local, async |scope, text| {
        scope.spawn(async move { println!("{text}") });
    }));
}
