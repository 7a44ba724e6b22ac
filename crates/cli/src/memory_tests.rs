//! `memory.c` under the names that it has where it is not linked, against what Rust does.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use proptest::prelude::*;

unsafe extern "C" {
    fn ai_assist_memcpy(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void;
    fn ai_assist_memmove(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void;
    fn ai_assist_memset(to: *mut c_void, value: c_int, length: usize) -> *mut c_void;
    fn ai_assist_memcmp(left: *const c_void, right: *const c_void, length: usize) -> c_int;
    fn ai_assist_bcmp(left: *const c_void, right: *const c_void, length: usize) -> c_int;
}

/// Every byte another than its neighbours, over a longer run than any step.
fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|at| (at * 7 + at / 251) as u8).collect()
}

fn compare(left: &[u8], right: &[u8]) -> std::cmp::Ordering {
    assert_eq!(left.len(), right.len());
    // SAFETY: both are as long as is said.
    let (order, equal) = unsafe {
        let (left, right, length) = (left.as_ptr().cast(), right.as_ptr().cast(), left.len());
        (ai_assist_memcmp(left, right, length), ai_assist_bcmp(left, right, length))
    };
    assert_eq!(order == 0, equal == 0);
    order.cmp(&0)
}

#[test]
fn every_length_and_place_is_copied_and_filled_and_nothing_beside_it() {
    let source = bytes(1200);
    for length in (0..300).chain([511, 512, 513, 1000]) {
        for place in 0..17 {
            let mut copied = vec![0xee; 1200];
            let mut expected = copied.clone();
            expected[place..place + length].copy_from_slice(&source[place / 2..place / 2 + length]);
            // SAFETY: both have 1200 bytes.
            let to = unsafe {
                let to = copied.as_mut_ptr().add(place).cast();
                (to, ai_assist_memcpy(to, source.as_ptr().add(place / 2).cast(), length))
            };
            assert_eq!(to.0, to.1);
            assert!(copied == expected, "copying {length} to {place}");
            expected[place..place + length].fill(0x9c);
            // SAFETY: as above.
            unsafe { ai_assist_memset(copied.as_mut_ptr().add(place).cast(), 0x19c, length) };
            assert!(copied == expected, "filling {length} from {place}");
        }
    }
}

#[test]
fn pieces_that_overlap_are_moved_whole() {
    for length in (0..300).chain([511, 512, 513, 600]) {
        for (from, to) in [(0, 1), (1, 0), (0, 63), (64, 0), (10, 130), (200, 7), (5, 5), (0, 590), (590, 0)] {
            let mut moved = bytes(1200);
            let mut expected = moved.clone();
            expected.copy_within(from..from + length, to);
            // SAFETY: both pieces lie within the 1200 bytes.
            unsafe {
                let start = moved.as_mut_ptr();
                ai_assist_memmove(start.add(to).cast(), start.add(from).cast(), length);
            }
            assert!(moved == expected, "{length} from {from} to {to}");
        }
    }
}

#[test]
fn the_first_difference_decides() {
    for length in 0..200 {
        let left = bytes(length);
        assert_eq!(compare(&left, &left.clone()), std::cmp::Ordering::Equal);
        for at in 0..length {
            let mut right = left.clone();
            // What comes after differs the other way round.
            right[at] = right[at].wrapping_add(128);
            right[at + 1..].iter_mut().for_each(|byte| *byte = byte.wrapping_add(127));
            assert_eq!(compare(&left, &right), left.cmp(&right), "{length} at {at}");
        }
    }
}

proptest! {
    #[test]
    fn any_two_compare_as_slices_do(left in any::<Vec<u8>>(), right in any::<Vec<u8>>(), shared in 0_usize..100) {
        let length = left.len().min(right.len());
        let (left, right) = ([&bytes(shared), &left[..length]].concat(), [&bytes(shared), &right[..length]].concat());
        prop_assert_eq!(compare(&left, &right), left.cmp(&right));
    }
}
