fn main() {
    wsrt::parallel::scope(|scope| {
        let local = String::from("gone before the jobs are");
        scope.spawn(|_| println!("{local}"));
    });
}
