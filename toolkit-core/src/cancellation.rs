//! A word from the host that something is wanted no more.

use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use event_listener::Event;

/// A word that something is wanted no more: given once, heard by any number.
///
/// Clones are the same word. It needs no runtime, and may be given and heard in any thread.
///
/// ```
/// use toolkit::Cancellation;
///
/// let cancellation = Cancellation::new();
/// let heard = cancellation.clone();
/// let waiting = std::thread::spawn(move || pollster::block_on(heard.cancelled()));
/// assert!(!cancellation.is_cancelled());
///
/// cancellation.cancel();
/// waiting.join().unwrap();
/// assert!(cancellation.is_cancelled());
/// ```
#[derive(Clone)]
pub struct Cancellation(Option<Arc<Word>>);

struct Word {
    is_given: AtomicBool,
    given: Event,
}

impl Cancellation {
    /// One that nobody can give.
    pub(crate) const NEVER: Self = Self(None);

    /// Makes a word that is not given yet.
    #[must_use]
    pub fn new() -> Self {
        Self(Some(Arc::new(Word { is_given: AtomicBool::new(false), given: Event::new() })))
    }

    /// Gives the word; more than once is the same as once.
    ///
    /// The token that a tool finds in its context where the host gave none can not be given.
    pub fn cancel(&self) {
        if let Some(word) = &self.0 {
            word.is_given.store(true, Ordering::SeqCst);
            word.given.notify(usize::MAX);
        }
    }

    /// Whether it was given.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|word| word.is_given.load(Ordering::SeqCst))
    }

    /// Waits until it is given.
    pub async fn cancelled(&self) {
        let Some(word) = &self.0 else { return pending().await };
        while !self.is_cancelled() {
            let listener = word.given.listen();
            // It may have been given before anybody listened.
            if !self.is_cancelled() {
                listener.await;
            }
        }
    }
}

impl Default for Cancellation {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancellation").field(&self.is_cancelled()).finish()
    }
}
