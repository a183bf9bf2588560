//! The common part of all lock guards: access to the guarded data, and the `Debug` impl.

/// Implements `Deref`, `Debug` and `Display` of a guard by its method `data`, and `DerefMut` by
/// `data_mut` where the guard is marked `mut`.
macro_rules! guards_data {
    (mut $guard:ident<$($lifetime:lifetime,)? $($generic:ident),+> => $data:ident) => {
        $crate::guard::guards_data!($guard<$($lifetime,)? $($generic),+> => $data);

        impl<$($lifetime,)? $($generic: ?Sized),+> std::ops::DerefMut for $guard<$($lifetime,)? $($generic),+> {
            #[inline]
            fn deref_mut(&mut self) -> &mut $data {
                self.data_mut()
            }
        }
    };
    ($guard:ident<$($lifetime:lifetime,)? $($generic:ident),+> => $data:ident) => {
        impl<$($lifetime,)? $($generic: ?Sized),+> std::ops::Deref for $guard<$($lifetime,)? $($generic),+> {
            type Target = $data;

            #[inline]
            fn deref(&self) -> &$data {
                self.data()
            }
        }

        impl<$($lifetime,)? $($generic: ?Sized),+> std::fmt::Debug for $guard<$($lifetime,)? $($generic),+>
        where
            $data: std::fmt::Debug,
        {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(self.data(), f)
            }
        }

        impl<$($lifetime,)? $($generic: ?Sized),+> std::fmt::Display for $guard<$($lifetime,)? $($generic),+>
        where
            $data: std::fmt::Display,
        {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self.data(), f)
            }
        }
    };
}
pub(crate) use guards_data;
