fn main() {
    let cells = [std::cell::Cell::new(0), std::cell::Cell::new(1)];
    wsrt::parallel::for_each(&cells, |cell| cell.set(2));
}
