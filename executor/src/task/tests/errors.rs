//! The messages of a `JoinError`.

use std::io;

use super::*;

fn ended<F>(future: F, abort: bool) -> (Id, u32, JoinError)
where
    F: Future + Send + 'static,
    F::Output: Send + std::fmt::Debug,
{
    let home = Home::default();
    let (handle, line) = (home.spawn(future), line!());
    if abort {
        handle.abort();
    }
    home.run();
    (handle.id(), line, result(handle).expect_err("no output"))
}

#[test]
fn a_cancelled_task_is_named_with_its_place() {
    let (id, line, error) = ended(async {}, true);
    let place = format!("task {id} (spawned at {}:{line}:", file!());
    assert!(error.is_cancelled() && !error.is_panic());
    assert_eq!(error.id(), id);
    let text = error.to_string();
    assert!(text.starts_with(&place) && text.ends_with(") was cancelled"), "{text}");
    assert!(format!("{error:?}").contains("Cancelled"));
    let error = error.try_into_panic().expect_err("no panic");
    assert!(error.is_cancelled());
}

#[test]
fn a_panic_is_quoted_if_it_is_text() {
    let (_, _, error) = ended(async { resume_unwind(Box::new("boom")) }, false);
    assert!(error.is_panic() && !error.is_cancelled());
    assert!(error.to_string().ends_with(") panicked with message \"boom\""), "{error}");
    let (_, _, error) = ended(async { resume_unwind(Box::new(String::from("bang"))) }, false);
    assert!(error.to_string().ends_with(") panicked with message \"bang\""), "{error}");
    assert!(format!("{error:?}").ends_with("), \"bang\", ...)"), "{error:?}");
    let (_, _, error) = ended(async { resume_unwind(Box::new(7_u8)) }, false);
    assert!(error.to_string().ends_with(") panicked"), "{error}");
    assert!(format!("{error:?}").ends_with("), ...)"), "{error:?}");
    assert_eq!(error.into_panic().downcast_ref(), Some(&7_u8));
}

#[test]
#[should_panic(expected = "was cancelled")]
fn asking_a_cancellation_for_its_panic_panics() {
    let (_, _, error) = ended(async {}, true);
    drop(error.into_panic());
}

#[test]
fn an_io_error_keeps_the_join_error_inside() {
    let (id, _, error) = ended(async {}, true);
    let error = io::Error::from(error);
    assert_eq!(error.kind(), io::ErrorKind::Other);
    let inner = error.into_inner().expect("wrapped").downcast::<JoinError>().expect("a join error");
    assert_eq!(inner.id(), id);
}

#[test]
fn ids_are_unique_across_blocks_and_the_counter() {
    let mut seen = std::collections::HashSet::new();
    let (mut one, mut two) = (IdBlock::default(), IdBlock::default());
    for _ in 0..1000 {
        assert!(seen.insert(one.next()));
        assert!(seen.insert(Id::next()));
        assert!(seen.insert(two.next()));
    }
    assert!(seen.iter().all(|id| id.to_string() == id.as_u64().to_string()));
}
