//! A parallel loop equals the serial one: the same items, each of them once, and results in the
//! order of the items.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use wsrt::parallel::{self, chunks, chunks_mut};
use wsrt_tests::{Random, compute, in_every_runtime, within_a_minute};

const SIZES: [usize; 11] = [0, 1, 2, 3, 7, 8, 63, 64, 65, 1_000, 10_007];

/// Some work that is not the same for all items, so that thieves find something.
fn work(item: usize) {
    compute(if item % 97 == 0 { 20_000 } else { item as u64 % 7 });
}

macro_rules! ranges_of {
    ($($integer:ident)*) => {$(
        #[test]
        fn $integer() {
            within_a_minute(|| {
                in_every_runtime(|| {
                    let (least, most) = ($integer::MIN, $integer::MAX);
                    let mid = least / 2 + most / 2;
                    let ranges = [
                        least..least, least..least + 1, least..least + 100, most - 100..most, most - 5..most, most..most,
                        mid - 60..mid + 60, most..least, mid + 3..mid - 3,
                    ];
                    for range in ranges {
                        let serial: Vec<$integer> = range.clone().collect();
                        assert_eq!(parallel::map_collect(range.clone(), |item| item), serial, "{range:?}");
                        let together = parallel::reduce(range, Vec::new, |item| vec![item], |a, b| [a, b].concat());
                        assert_eq!(together, serial);
                    }
                });
            });
        }
    )*};
}

mod a_range_of {
    use super::*;

    ranges_of!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

    #[test]
    fn all_the_small_integers() {
        within_a_minute(|| {
            in_every_runtime(|| {
                let bytes = parallel::map_collect(i8::MIN..i8::MAX, |item| item);
                assert_eq!(bytes, (i8::MIN..i8::MAX).collect::<Vec<_>>());
                let sum = parallel::reduce(i16::MIN..i16::MAX, || 0, i64::from, |a, b| a + b);
                assert_eq!(sum, (i16::MIN..i16::MAX).map(i64::from).sum::<i64>());
                let words = parallel::map_collect(0..u16::MAX, |item| item);
                assert_eq!(words, (0..u16::MAX).collect::<Vec<_>>());
            });
        });
    }
}

#[test]
fn each_item_is_visited_once() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for size in SIZES {
                let visits: Vec<_> = (0..size).map(|_| AtomicUsize::new(0)).collect();
                parallel::for_each(&visits, |visits| {
                    visits.fetch_add(1, Relaxed);
                });
                assert!(visits.iter().all(|visits| visits.load(Relaxed) == 1), "{size}");
            }
        });
    });
}

#[test]
fn slices_arrays_and_vectors() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for size in SIZES {
                let mut numbers: Vec<usize> = (0..size).collect();
                let serial: Vec<String> = numbers.iter().map(usize::to_string).collect();
                let render = |number: &usize| {
                    work(*number);
                    number.to_string()
                };
                assert_eq!(parallel::map_collect(&numbers, render), serial);
                assert_eq!(parallel::map_collect(&numbers[..], render), serial);
                parallel::for_each(&mut numbers, |number| *number += 1);
                parallel::for_each(&mut numbers[..], |number| *number *= 2);
                assert!(numbers.iter().enumerate().all(|(at, number)| *number == 2 * (at + 1)));
            }
            let mut array = [1, 2, 3];
            parallel::for_each(&mut array, |item| *item *= 5);
            assert_eq!(parallel::map_collect(&array, |item| item + 1), [6, 11, 16]);
        });
    });
}

#[test]
fn chunks_of_any_size() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for length in SIZES {
                for size in [1, 2, 7, 64, 1_000, usize::MAX] {
                    let mut numbers: Vec<usize> = (0..length).collect();
                    let serial: Vec<Vec<usize>> = numbers.chunks(size).map(<[usize]>::to_vec).collect();
                    assert_eq!(parallel::map_collect(chunks(&numbers, size), <[usize]>::to_vec), serial);
                    parallel::for_each(chunks_mut(&mut numbers, size), |piece| piece.reverse());
                    let reversed: Vec<usize> = serial.into_iter().flat_map(|piece| piece.into_iter().rev()).collect();
                    assert_eq!(numbers, reversed, "{length} in pieces of {size}");
                }
            }
        });
    });
}

/// Of which there may be as many as a `usize` can count.
#[test]
fn items_without_a_size() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let units = vec![(); usize::MAX];
            let lengths = parallel::map_collect(chunks(&units, usize::MAX / 2), <[()]>::len);
            assert_eq!(lengths, [usize::MAX / 2, usize::MAX / 2, 1]);
            assert_eq!(parallel::map_collect(0..1_000, |_| ()).len(), 1_000);
        });
    });
}

#[test]
fn a_combine_that_is_not_commutative_keeps_the_order() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for size in SIZES {
                let letter = |number: usize| {
                    work(number);
                    char::from(b'a' + (number % 26) as u8).to_string()
                };
                let serial: String = (0..size).map(|number| char::from(b'a' + (number % 26) as u8)).collect();
                assert_eq!(parallel::reduce(0..size, String::new, letter, |a, b| a + &b), serial);
            }
        });
    });
}

/// Products of matrices, modulo a prime: the order counts, and how they are grouped does not.
#[test]
fn a_product_of_matrices_keeps_the_order() {
    type Matrix = [[u64; 2]; 2];
    fn times(a: Matrix, b: Matrix) -> Matrix {
        let cell = |row: usize, column: usize| (a[row][0] * b[0][column] + a[row][1] * b[1][column]) % 1_000_003;
        [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]]
    }
    within_a_minute(|| {
        in_every_runtime(|| {
            let mut random = Random::new(7);
            let mut cell = || random.below(1_000_003);
            let factors: Vec<Matrix> = (0..5_000).map(|_| [[cell(), cell()], [cell(), cell()]]).collect();
            let one = [[1, 0], [0, 1]];
            let serial = factors.iter().copied().fold(one, times);
            assert_eq!(parallel::reduce(&factors, || one, |factor| *factor, times), serial);
        });
    });
}

#[test]
fn sizes_and_costs_without_a_pattern() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let mut random = Random::new(0x5EED);
            for _ in 0..60 {
                let length = random.below(3_000) as usize;
                let costs: Vec<u64> = (0..length).map(|_| 1 << random.below(12)).collect();
                let cost_of = |cost: &u64| {
                    compute(*cost);
                    cost * 3
                };
                let serial: Vec<u64> = costs.iter().map(|cost| cost * 3).collect();
                assert_eq!(parallel::map_collect(&costs, cost_of), serial);
                let sum = parallel::reduce(&costs, || 0, cost_of, |a, b| a + b);
                assert_eq!(sum, serial.iter().sum::<u64>());
            }
        });
    });
}
