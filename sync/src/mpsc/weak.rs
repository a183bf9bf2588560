//! Weak senders, and the counts of both kinds of senders.

/// Defines `$weak`, the weak version of `$sender`, and counts the senders of both kinds. Each type
/// has a single field `channel`, an `Arc<$channel<T>>`. In the examples, `$make` of `$module`
/// creates a channel.
macro_rules! counted_senders {
    ($sender:ident, $weak:ident, $channel:ident, $module:literal, $make:literal) => {
        /// A sender that does not keep its channel open.
        ///
        /// Use a weak sender where a task should send for as long as others do, without itself
        /// prolonging the channel's life. Call `upgrade` to get a sender that can send.
        pub struct $weak<T> {
            channel: $crate::sync::Arc<$channel<T>>,
        }

        impl<T> $sender<T> {
            /// Creates a weak sender of the same channel, which does not keep the channel open.
            ///
            /// # Examples
            ///
            /// ```
            /// # mod wsrt { pub use wsrt_sync as sync; }
            #[doc = concat!("use wsrt::sync::", $module, ";")]
            ///
            #[doc = concat!("let (sender, mut receiver) = ", $module, "::", $make, ";")]
            /// let weak = sender.downgrade();
            /// assert!(weak.upgrade().is_some());
            /// drop(sender);
            /// assert!(weak.upgrade().is_none(), "the channel has ended");
            /// assert!(receiver.blocking_recv().is_none());
            /// ```
            #[must_use]
            pub fn downgrade(&self) -> $weak<T> {
                $weak::new($crate::sync::Arc::clone(&self.channel))
            }

            /// Returns the number of senders, not counting weak senders.
            #[must_use]
            pub fn strong_count(&self) -> usize {
                self.channel.senders.count()
            }

            /// Returns the number of weak senders, which do not keep the channel open.
            #[must_use]
            pub fn weak_count(&self) -> usize {
                self.channel.senders.count_weak()
            }
        }

        impl<T> Clone for $sender<T> {
            fn clone(&self) -> Self {
                self.channel.senders.add();
                Self { channel: $crate::sync::Arc::clone(&self.channel) }
            }
        }

        impl<T> Drop for $sender<T> {
            fn drop(&mut self) {
                self.channel.remove_sender();
            }
        }

        impl<T> std::fmt::Debug for $sender<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($sender)).finish_non_exhaustive()
            }
        }

        impl<T> $weak<T> {
            fn new(channel: $crate::sync::Arc<$channel<T>>) -> Self {
                channel.senders.add_weak();
                Self { channel }
            }

            /// Returns a sender of the channel, or `None` if all senders have been dropped.
            ///
            /// A channel without senders has ended and cannot be reopened.
            ///
            /// # Examples
            ///
            /// ```
            /// # mod wsrt { pub use wsrt_sync as sync; }
            #[doc = concat!("use wsrt::sync::", $module, ";")]
            ///
            #[doc = concat!("let (sender, _receiver) = ", $module, "::", $make, ";")]
            /// let weak = sender.downgrade();
            /// assert_eq!((weak.strong_count(), weak.weak_count()), (1, 1));
            /// assert!(weak.upgrade().is_some());
            /// drop(sender);
            /// assert!(weak.upgrade().is_none());
            /// ```
            #[must_use]
            pub fn upgrade(&self) -> Option<$sender<T>> {
                let channel = &self.channel;
                channel.senders.try_add().then(|| $sender { channel: $crate::sync::Arc::clone(channel) })
            }

            /// Returns the number of senders, not counting weak senders.
            #[must_use]
            pub fn strong_count(&self) -> usize {
                self.channel.senders.count()
            }

            /// Returns the number of weak senders, which do not keep the channel open.
            #[must_use]
            pub fn weak_count(&self) -> usize {
                self.channel.senders.count_weak()
            }
        }

        impl<T> Clone for $weak<T> {
            fn clone(&self) -> Self {
                Self::new($crate::sync::Arc::clone(&self.channel))
            }
        }

        impl<T> Drop for $weak<T> {
            fn drop(&mut self) {
                self.channel.senders.remove_weak();
            }
        }

        impl<T> std::fmt::Debug for $weak<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($weak)).finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use counted_senders;
