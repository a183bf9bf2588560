fn main() {
    wsrt::parallel::join(|| 1, || std::rc::Rc::new(1));
}
