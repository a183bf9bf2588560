fn main() {
    let mut count = 0;
    wsrt::parallel::join(|| count += 1, || count += 1);
}
