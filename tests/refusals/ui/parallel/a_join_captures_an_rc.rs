use std::rc::Rc;

fn main() {
    let shared = Rc::new(1);
    wsrt::parallel::join(|| 1, || *shared + 1);
}
