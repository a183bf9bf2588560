//! Sizes, and that a future is not copied around.

use std::mem::MaybeUninit;
use std::thread;

use super::super::cell::size_of_cell;
use super::*;

#[test]
#[cfg(target_pointer_width = "64")]
fn a_header_is_80_bytes() {
    assert_eq!(size_of::<Header>(), 80);
}

#[test]
fn a_join_handle_is_a_pointer_even_in_an_option() {
    assert_eq!(size_of::<JoinHandle<String>>(), size_of::<usize>());
    assert_eq!(size_of::<Option<JoinHandle<String>>>(), size_of::<usize>());
}

#[test]
#[cfg(target_pointer_width = "64")]
fn a_parked_small_task_takes_at_most_200_bytes() {
    // The scheduler is a pointer, like the executor's.
    fn size_for<F: Future + 'static>(_: &F) -> usize {
        size_of_cell::<F, Home>()
    }
    let small = async {
        let held = [1_u64; 8];
        std::future::pending::<()>().await;
        assert_eq!(held[0], 1);
    };
    assert!(size_of_val(&small) >= 64);
    assert!(size_for(&small) <= 200, "{}", size_for(&small));
    assert_eq!(size_for(&async {}), 80 + 8 + 16, "header, scheduler, room for a panic");
}

#[test]
fn a_future_with_a_large_alignment_is_aligned() {
    #[repr(align(128))]
    struct Aligned(u8);
    let home = Home::default();
    let aligned = Aligned(7);
    let handle = home.spawn(async move {
        let here = &aligned;
        std::future::ready(()).await;
        ((&raw const *here).addr() % 128, here.0)
    });
    home.run();
    assert!(matches!(result(handle), Ok((0, 7))));
}

/// Copies of the future that a spawning thread's stack has room for. A release build makes one, the
/// caller's own; without optimization each function on the way, down to `ptr::write`, has its own.
const COPIES: usize = if cfg!(debug_assertions) { 4 } else { 1 };
const LARGE: usize = 8 << 20;
/// Frames of everything else.
const SLACK: usize = 512 << 10;

struct Large {
    bytes: MaybeUninit<[u8; LARGE]>,
}

impl Future for Large {
    type Output = u8;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u8> {
        let last = self.bytes.as_mut_ptr().cast::<u8>().wrapping_add(LARGE - 1);
        // SAFETY: the last byte of the array.
        unsafe { last.write(7) };
        // SAFETY: as above, and it was written to.
        Poll::Ready(unsafe { last.read() })
    }
}

#[test]
fn a_future_of_8_mib_is_spawned_without_another_copy() {
    let spawner = thread::Builder::new().stack_size(COPIES * LARGE + SLACK).spawn(|| {
        let home = Home::default();
        let large = Large { bytes: MaybeUninit::uninit() };
        // SAFETY: the future and its output are Send.
        let (task, runnable, handle) =
            unsafe { allocate(large, home.clone(), Identity::new(Id::next(), Location::caller())) };
        runnable.run();
        drop(task);
        assert!(matches!(result(handle), Ok(7)));
        assert_eq!(home.cells(), 0);
    });
    spawner.expect("a thread").join().expect("the stack suffices");
}
