//! A stand-in for the crate `wsrt`: the few names that the expansion uses, with a record of how
//! they were used.
//!
//! Passed to the macros as `crate = "crate::runtime_double"`, it lets their expansion run without
//! the executor.

pub(crate) mod runtime {
    use std::cell::Cell;
    use std::future::Future;
    use std::io;
    use std::panic::resume_unwind;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::thread;

    /// How the runtime that polls the calling code was built and entered.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Started {
        MultiThread { worker_threads: Option<usize> },
        CurrentThread { paused: bool },
    }

    thread_local! {
        static STARTED: Cell<Option<Started>> = const { Cell::new(None) };
        static BUILD_FAILS: Cell<bool> = const { Cell::new(false) };
    }

    /// The runtime that polls the caller.
    pub(crate) fn started() -> Option<Started> {
        STARTED.get()
    }

    /// Calls `body` while every `build` on this thread fails with "no threads left".
    pub(crate) fn with_failing_builds<T>(body: impl FnOnce() -> T) -> T {
        BUILD_FAILS.set(true);
        let output = body();
        BUILD_FAILS.set(false);
        output
    }

    #[derive(Debug)]
    pub(crate) struct Builder {
        started: Started,
    }

    impl Builder {
        pub(crate) fn new_multi_thread() -> Self {
            Self { started: Started::MultiThread { worker_threads: None } }
        }

        pub(crate) fn new_current_thread() -> Self {
            Self { started: Started::CurrentThread { paused: false } }
        }

        pub(crate) fn enable_all(&mut self) -> &mut Self {
            self
        }

        pub(crate) fn __in_test(&mut self) -> &mut Self {
            self
        }

        pub(crate) fn worker_threads(&mut self, count: usize) -> &mut Self {
            self.started = Started::MultiThread { worker_threads: Some(count) };
            self
        }

        pub(crate) fn start_paused(&mut self, paused: bool) -> &mut Self {
            self.started = Started::CurrentThread { paused };
            self
        }

        pub(crate) fn build(&mut self) -> io::Result<Runtime> {
            if BUILD_FAILS.get() {
                return Err(io::Error::other("no threads left"));
            }
            Ok(Runtime { started: self.started })
        }
    }

    #[derive(Debug)]
    pub(crate) struct Runtime {
        started: Started,
    }

    impl Runtime {
        /// Runs the root on another thread, as a processor would, and passes its panic on.
        pub(crate) fn run<F>(&self, root: F) -> F::Output
        where
            F: Future + Send + 'static,
            F::Output: Send + 'static,
        {
            assert!(matches!(self.started, Started::MultiThread { .. }), "`run` is for multi-thread runtimes");
            let started = self.started;
            thread::spawn(move || poll_to_end(started, root)).join().unwrap_or_else(|payload| resume_unwind(payload))
        }

        pub(crate) fn block_on<F: Future>(&self, root: F) -> F::Output {
            poll_to_end(self.started, root)
        }
    }

    /// The choice between `run` and `block_on`, as the crate `wsrt` makes it.
    pub(crate) mod __entry {
        use std::future::Future;
        use std::marker::PhantomData;
        use std::ops::Deref;

        use super::Runtime;

        pub(crate) struct Root<F>(AnyRoot<F>);
        pub(crate) struct AnyRoot<F>(PhantomData<F>);
        pub(crate) struct OnProcessor;
        pub(crate) struct Here;

        impl<F> Root<F> {
            pub(crate) fn of(_: &F) -> Self {
                Self(AnyRoot(PhantomData))
            }
        }

        impl<F: Future<Output: Send + 'static> + Send + 'static> Root<F> {
            pub(crate) fn place(&self) -> OnProcessor {
                OnProcessor
            }
        }

        impl<F> Deref for Root<F> {
            type Target = AnyRoot<F>;

            fn deref(&self) -> &AnyRoot<F> {
                &self.0
            }
        }

        impl<F> AnyRoot<F> {
            pub(crate) fn place(&self) -> Here {
                Here
            }
        }

        impl OnProcessor {
            pub(crate) fn run<F>(self, runtime: &Runtime, root: F) -> F::Output
            where
                F: Future<Output: Send + 'static> + Send + 'static,
            {
                runtime.run(root)
            }
        }

        impl Here {
            pub(crate) fn run<F: Future>(self, runtime: &Runtime, root: F) -> F::Output {
                runtime.block_on(root)
            }
        }
    }

    /// The roots under test wait for nothing but their own `yield_once`, so polling again at once
    /// is enough.
    fn poll_to_end<F: Future>(started: Started, root: F) -> F::Output {
        let mut root = pin!(root);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            let outer = STARTED.replace(Some(started));
            let poll = root.as_mut().poll(&mut context);
            STARTED.set(outer);
            if let Poll::Ready(output) = poll {
                return output;
            }
        }
    }
}
