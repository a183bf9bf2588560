fn main() {
    let longest: Vec<&str> = {
        let words = vec![String::from("one"), String::from("two")];
        wsrt::parallel::map_collect(&words, |word| word.as_str())
    };
    println!("{longest:?}");
}
