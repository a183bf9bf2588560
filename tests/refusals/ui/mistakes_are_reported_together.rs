//! One run of the compiler shows every mistake, and none of their consequences: `start` can still be called.

mod server {
    #[wsrt::main(flavour = "multi_thread", worker_threads = 0)]
    pub fn start(port: u16) -> u16 {
        port
    }
}

#[wsrt::main(colour = "red")]
async fn main() {
    let not_send = std::rc::Rc::new(server::start(80));
    std::future::ready(()).await;
    println!("{not_send}");
}
