fn main() {
    let mut escaped = None;
    wsrt::task::scope(|scope| escaped = Some(scope));
}
