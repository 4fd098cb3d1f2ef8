//! How far a call is, told to the client that asked to hear of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::mpsc;
use toolkit_core::{CallContext, Observer, Progress};

/// Words of a tool that wait to be sent; what comes while so many wait is left out.
const WAITING: usize = 32;

/// What a tool tells, on its way to the client.
pub(super) struct Told {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    waiting: mpsc::Receiver<ProgressNotificationParam>,
}

/// Hears a tool, for a client that wants to know; `None` where it does not.
pub(super) fn heard(context: &RequestContext<RoleServer>) -> Option<(Arc<dyn Observer>, Told)> {
    let token = context.meta.get_progress_token()?;
    let (to, waiting) = mpsc::channel(WAITING);
    let hears = Hears { token: token.clone(), furthest: AtomicU64::new(0), to };
    Some((Arc::new(hears), Told { token, peer: context.peer.clone(), waiting }))
}

impl Told {
    /// Sends what the tool tells until the call is over; nothing comes after its answer.
    pub(super) async fn beside<T>(mut self, run: impl Future<Output = T>) -> T {
        let mut run = std::pin::pin!(run);
        loop {
            tokio::select! {
                biased;
                Some(told) = self.waiting.recv() => self.send(told).await,
                ended = &mut run => {
                    while let Ok(told) = self.waiting.try_recv() {
                        self.send(told).await;
                    }
                    return ended;
                }
            }
        }
    }

    async fn send(&self, told: ProgressNotificationParam) {
        if let Err(error) = self.peer.notify_progress(told).await {
            tracing::debug!(%error, token = ?self.token, "progress could not be told");
        }
    }
}

struct Hears {
    token: ProgressToken,
    /// One more than what was told last: the protocol wants every number to be larger.
    furthest: AtomicU64,
    to: mpsc::Sender<ProgressNotificationParam>,
}

impl Observer for Hears {
    fn progress(&self, _: &CallContext, progress: Progress<'_>) {
        let Progress { done, total, message } = progress;
        if self.furthest.fetch_max(done.saturating_add(1), Ordering::Relaxed) > done {
            return;
        }
        let mut told = ProgressNotificationParam::new(self.token.clone(), number(done));
        told.total = total.map(number);
        told.message = message.map(str::to_owned);
        // A client that does not keep up hears less.
        drop(self.to.try_send(told));
    }

    fn emitted(&self, _: &CallContext, _: &str) {}
}

#[expect(clippy::cast_precision_loss, reason = "the protocol's numbers are doubles")]
const fn number(count: u64) -> f64 {
    count as f64
}
