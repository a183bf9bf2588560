use std::rc::Rc;

fn main() {
    let shared = Rc::new(1);
    wsrt::task::scope(|scope| {
        scope.spawn(async { println!("{shared}") });
    });
}
