fn main() {
    drop(wsrt::task::scope_with(vec![1], async |_, numbers| numbers.as_slice()));
}
