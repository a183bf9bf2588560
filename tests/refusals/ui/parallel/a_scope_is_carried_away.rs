fn main() {
    let mut escaped = None;
    wsrt::parallel::scope(|scope| escaped = Some(scope));
}
