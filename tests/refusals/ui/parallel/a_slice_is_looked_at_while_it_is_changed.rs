fn main() {
    let mut numbers = vec![1, 2, 3];
    wsrt::parallel::for_each(&mut numbers, |number| *number += numbers.len());
}
