fn main() {
    let mut count = 0;
    wsrt::parallel::for_each(0..10, |_| count += 1);
}
