//! A command between its start and its end.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use process_wrap::tokio::ChildWrapper;
use rustix::process::Signal;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::Ending;
use super::group::Group;
use super::reader::{Reader, Reading};
use super::registry::Registry;

/// How long output is read after the process has ended.
const DRAIN: Duration = Duration::from_millis(250);

/// How long a process may take to end after TERM.
const GRACE: Duration = Duration::from_secs(2);

/// A started process. Dropping it ends its session.
#[derive(Debug)]
pub(super) struct Running {
    /// Taken once there is nothing left to end on drop.
    child: Option<Box<dyn ChildWrapper>>,
    group: Group,
    registry: Arc<Registry>,
}

impl Running {
    pub(super) fn new(child: Box<dyn ChildWrapper>, group: Group, registry: Arc<Registry>) -> Self {
        registry.remember(group);
        Self { child: Some(child), group, registry }
    }

    /// Sees the process to its end, and tells what it left behind.
    pub(super) async fn finish(
        mut self,
        reading: Reading<'_>,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> (Ending, Vec<u32>) {
        let host = reading.host;
        let closed = CancellationToken::new();
        let mut reader = Reader::new(reading);
        let ending = self.see_out(reader.read(closed.clone()), &closed, limit, cancel).await;
        // A slow host must not cost the last of the output: that is taken without waiting for it.
        let rest = reader.read_rest();
        if !rest.is_empty() {
            let _ = timeout(DRAIN, host.progress(&rest)).await;
        }
        (ending, self.leave().await)
    }

    /// Does the reading and writing of `io` until the process has ended and `io` tells by `closed` that nothing more
    /// can come, or has had a moment for the rest.
    pub(super) async fn see_out(
        &mut self,
        io: impl Future<Output = Infallible>,
        closed: &CancellationToken,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> Ending {
        let mut io = pin!(io);
        let ending = self.watch(io.as_mut(), limit, cancel).await;
        tokio::select! {
            () = closed.cancelled() => {}
            () = sleep(DRAIN) => {}
            never = io => match never {},
        }
        ending
    }

    /// Reads until the process has ended, by itself or not.
    async fn watch(
        &mut self,
        mut reading: Pin<&mut impl Future<Output = Infallible>>,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> Ending {
        let ending = tokio::select! {
            biased;
            status = wait(&mut self.child) => return Ending::of(status),
            () = cancel.cancelled() => Ending::Interrupted,
            () = sleep(limit) => Ending::TimedOut,
            never = reading.as_mut() => match never {},
        };
        let reaped = timeout(2 * GRACE, wait(&mut self.child));
        tokio::select! {
            _ = async { tokio::join!(self.group.end(GRACE), reaped) } => {}
            never = reading => match never {},
        }
        ending
    }

    /// Ends what the process left behind.
    pub(super) async fn end_rest(mut self) {
        if !self.group.settled().await.is_empty() {
            self.group.end(GRACE).await;
        }
        self.child = None;
        self.registry.forget(self.group);
    }

    /// Lets go of the process; the session is remembered as long as somebody is in it.
    async fn leave(mut self) -> Vec<u32> {
        let left = self.group.settled().await;
        self.child = None;
        if left.is_empty() {
            self.registry.forget(self.group);
        }
        left
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        let (group, registry) = (self.group, Arc::clone(&self.registry));
        group.signal(Signal::TERM);
        // Without a runtime the registry keeps the group, for the end of the program.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                let reaped = timeout(2 * GRACE, child.wait());
                let _ = tokio::join!(group.end(GRACE), reaped);
                registry.forget(group);
            });
        }
    }
}

/// Gives no status when the system lost track of the process.
async fn wait(child: &mut Option<Box<dyn ChildWrapper>>) -> Option<ExitStatus> {
    match child {
        Some(child) => child.wait().await.ok(),
        None => None,
    }
}
