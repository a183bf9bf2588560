use std::rc::Rc;

fn main() {
    let shared = Rc::new(1);
    wsrt::parallel::scope(|scope| {
        let shared = Rc::clone(&shared);
        scope.spawn(move |_| println!("{shared}"));
    });
}
