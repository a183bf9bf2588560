fn main() {
    let count = std::cell::Cell::new(0);
    wsrt::parallel::for_each(0..10, |_| count.set(count.get() + 1));
}
