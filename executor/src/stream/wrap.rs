//! The parts that all wrappers share: their construction, and access to the wrapped value.

/// Generates a type that wraps `$source`, whose next item is the result of `$poll`.
macro_rules! wrap {
    (
        $(#[$attribute:meta])*
        $name:ident $(<$parameter:ident>)?, $source:ty => $item:ty, |$inner:ident, $cx:ident| $poll:expr
    ) => {
        $(#[$attribute])*
        #[derive(Debug)]
        #[must_use = "a stream does nothing unless it is polled"]
        pub struct $name $(<$parameter>)? {
            source: $source,
        }

        impl $(<$parameter>)? $name $(<$parameter>)? {
            /// Creates a stream from the value to wrap.
            pub fn new(source: $source) -> Self {
                Self { source }
            }

            /// Unwraps the stream and returns the wrapped value.
            pub fn into_inner(self) -> $source {
                self.source
            }
        }

        impl $(<$parameter>)? AsRef<$source> for $name $(<$parameter>)? {
            fn as_ref(&self) -> &$source {
                &self.source
            }
        }

        impl $(<$parameter>)? AsMut<$source> for $name $(<$parameter>)? {
            fn as_mut(&mut self) -> &mut $source {
                &mut self.source
            }
        }

        // Nothing is pinned: items are moved out by value.
        impl $(<$parameter>)? Unpin for $name $(<$parameter>)? {}

        impl $(<$parameter>)? futures_core::Stream for $name $(<$parameter>)? {
            type Item = $item;

            fn poll_next(
                mut self: std::pin::Pin<&mut Self>,
                $cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Option<$item>> {
                let $inner = &mut self.source;
                $poll
            }
        }
    };
}
