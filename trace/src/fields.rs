//! The field numbers of Perfetto's messages, under the names that Perfetto uses in
//! `trace_packet.proto` and in the files that it includes.

#![allow(missing_docs, reason = "these are Perfetto's names, and its definitions say what they mean")]

pub mod trace {
    pub const PACKET: u32 = 1;
}

pub mod trace_packet {
    pub const CLOCK_SNAPSHOT: u32 = 6;
    pub const TIMESTAMP: u32 = 8;
    pub const TRUSTED_PACKET_SEQUENCE_ID: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED_DATA: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const TRACE_PACKET_DEFAULTS: u32 = 59;
    pub const TRACK_DESCRIPTOR: u32 = 60;
}

/// The bits of `TracePacket.sequence_flags`.
pub mod sequence_flags {
    pub const INCREMENTAL_STATE_CLEARED: u64 = 1;
    pub const NEEDS_INCREMENTAL_STATE: u64 = 2;
}

pub mod trace_packet_defaults {
    pub const TRACK_EVENT_DEFAULTS: u32 = 11;
    pub const TIMESTAMP_CLOCK_ID: u32 = 58;
}

pub mod track_event_defaults {
    pub const TRACK_UUID: u32 = 11;
}

pub mod clock_snapshot {
    pub const CLOCKS: u32 = 1;
    pub const PRIMARY_TRACE_CLOCK: u32 = 2;
}

/// The fields of `ClockSnapshot.Clock`.
pub mod clock {
    pub const CLOCK_ID: u32 = 1;
    pub const TIMESTAMP: u32 = 2;
}

/// The numbers of the clocks that Perfetto's format calls `BuiltinClock`.
pub mod builtin_clock {
    pub const REALTIME: u64 = 1;
    pub const MONOTONIC: u64 = 3;
    pub const BOOTTIME: u64 = 6;
}

pub mod track_descriptor {
    pub const UUID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const PROCESS: u32 = 3;
    pub const THREAD: u32 = 4;
    pub const PARENT_UUID: u32 = 5;
    pub const COUNTER: u32 = 8;
    pub const STATIC_NAME: u32 = 10;
    pub const SIBLING_ORDER_RANK: u32 = 12;
}

pub mod process_descriptor {
    pub const PID: u32 = 1;
    pub const PROCESS_NAME: u32 = 6;
}

pub mod thread_descriptor {
    pub const PID: u32 = 1;
    pub const TID: u32 = 2;
    pub const THREAD_NAME: u32 = 5;
}

pub mod interned_data {
    pub const EVENT_NAMES: u32 = 2;
    pub const DEBUG_ANNOTATION_NAMES: u32 = 3;
    pub const DEBUG_ANNOTATION_STRING_VALUES: u32 = 29;
}

/// The fields of `EventName`, `DebugAnnotationName` and `InternedString`, which all use the same
/// numbers.
pub mod interned_entry {
    pub const IID: u32 = 1;
    pub const TEXT: u32 = 2;
}

pub mod track_event {
    pub const DEBUG_ANNOTATIONS: u32 = 4;
    pub const TYPE: u32 = 9;
    pub const NAME_IID: u32 = 10;
    pub const TRACK_UUID: u32 = 11;
    pub const NAME: u32 = 23;
    pub const COUNTER_VALUE: u32 = 30;
    pub const FLOW_IDS: u32 = 47;
    pub const TERMINATING_FLOW_IDS: u32 = 48;
}

/// The values of `TrackEvent.Type`.
pub mod track_event_type {
    pub const SLICE_BEGIN: u64 = 1;
    pub const SLICE_END: u64 = 2;
    pub const INSTANT: u64 = 3;
    pub const COUNTER: u64 = 4;
}

pub mod debug_annotation {
    pub const NAME_IID: u32 = 1;
    pub const BOOL_VALUE: u32 = 2;
    pub const UINT_VALUE: u32 = 3;
    pub const INT_VALUE: u32 = 4;
    pub const STRING_VALUE: u32 = 6;
    pub const NAME: u32 = 10;
    pub const ARRAY_VALUES: u32 = 12;
    pub const STRING_VALUE_IID: u32 = 17;
}
