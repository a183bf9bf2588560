//! Nobody could choose the parameters.

#[wsrt::main]
async fn main<T: Default>()
where
    T: Copy,
{
    let _ = T::default();
}
