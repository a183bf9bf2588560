fn main() {
    let word = {
        let text = String::from("gone before the word is");
        wsrt::task::scope(|scope| scope.spawn(async { text.as_str() }).join())
    };
    println!("{word:?}");
}
