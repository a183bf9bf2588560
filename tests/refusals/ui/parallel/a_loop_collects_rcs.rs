fn main() {
    wsrt::parallel::map_collect(0..10, std::rc::Rc::new);
}
