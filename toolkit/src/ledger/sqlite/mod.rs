//! Rows in one file, which several processes of one machine may open.

use std::fmt;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use futures_channel::oneshot;
use toolkit_core::BoxFuture;
use toolkit_core::ledger::{
    Durability, Filter, HistoryLine, Ledger, LedgerError, Loaded, Row, RowKey,
};

use file::{Change, File};

mod file;
mod open;

/// What the thread is asked to do.
enum Job {
    Read(Box<dyn FnOnce(&mut File) + Send>),
    Change(Box<Change>, oneshot::Sender<Result<bool, LedgerError>>),
}

/// How many jobs are done at once at most.
const TOGETHER: usize = 64;

/// A ledger in one file, for the processes of one machine; needs the feature `sqlite`.
///
/// What it acknowledges was synced to the disk. A thread of its own does the work, so it is
/// used from any async runtime, and from none; what comes at once is synced together. The file is
/// created with mode 0600 where it is missing; one that is damaged, that another program wrote or
/// that others may write to is refused and left as it is. Opening reads the whole file once, to
/// check it.
///
/// The file must not lie on a network file system: its locks do not reach that far.
///
/// ```
/// use toolkit::ledger::{Durability, Filter, Ledger, SqliteLedger};
///
/// # let folder = std::env::temp_dir().join(format!("toolkit-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("calls.db");
/// let ledger = SqliteLedger::open(&path)?;
/// assert_eq!(ledger.durability(), Durability::Durable);
///
/// let filter = Filter::default();
/// let rows = ledger.list(&filter);
/// # let rows = toolkit_core_block_on(rows)?;
/// assert!(rows.is_empty());
/// # std::fs::remove_dir_all(&folder)?;
/// # fn toolkit_core_block_on<F: Future>(future: F) -> F::Output {
/// #     let mut future = std::pin::pin!(future);
/// #     let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// #     loop {
/// #         if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) {
/// #             return output;
/// #         }
/// #     }
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SqliteLedger {
    path: PathBuf,
    /// Both are there until the ledger is dropped.
    thread: Option<(Sender<Job>, JoinHandle<()>)>,
}

impl SqliteLedger {
    /// Opens the ledger in a file, which is created where it is missing.
    ///
    /// It blocks while it reads the file.
    ///
    /// ```
    /// use toolkit::ledger::{LedgerError, SqliteLedger};
    ///
    /// # let path = std::env::temp_dir().join(format!("toolkit-doc-{}.txt", std::process::id()));
    /// std::fs::write(&path, "Dear diary")?;
    /// let refused = SqliteLedger::open(&path).unwrap_err();
    /// assert!(matches!(refused, LedgerError::Corrupt(why) if why.ends_with("is no SQLite database")));
    /// assert_eq!(std::fs::read_to_string(&path)?, "Dear diary");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`LedgerError::Corrupt`] for what is no ledger or a damaged one, [`LedgerError::Newer`] for
    /// one of a later version, [`LedgerError::Unfit`] for one that others may write to, and
    /// [`LedgerError::Unavailable`] where it can not be opened or created.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        let unavailable =
            |why| LedgerError::unavailable(format!("{}: {why}", path.as_ref().display()));
        // SQLite takes `:memory:` for no file at all; an absolute path never reads like that.
        let path = std::path::absolute(path.as_ref()).map_err(unavailable)?;
        Self::over(path)
    }

    /// Opens the ledger in a file that is there.
    ///
    /// It is for who reads what others wrote, as a command line that decides on parked calls
    /// does: in a ledger that it would create by a slip of the pen nothing waits.
    ///
    /// ```
    /// use toolkit::ledger::{LedgerError, SqliteLedger};
    ///
    /// let missing = SqliteLedger::open_existing("/nowhere/calls.db").unwrap_err();
    /// assert_eq!(
    ///     missing,
    ///     LedgerError::unavailable("there is no file /nowhere/calls.db"),
    /// );
    /// ```
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`] where there is none, and as [`SqliteLedger::open`].
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        let path = path.as_ref();
        // A link to nothing is no ledger either.
        if !path.exists() {
            let missing = format!("there is no file {}", path.display());
            return Err(LedgerError::unavailable(missing));
        }
        Self::open(path)
    }

    fn over(path: PathBuf) -> Result<Self, LedgerError> {
        let mut file = open::open(&path)?;
        let (sender, jobs) = channel::<Job>();
        let run = move || serve(&mut file, &jobs);
        let thread = thread::Builder::new().name("toolkit-ledger".to_owned()).spawn(run);
        let thread = thread
            .map_err(|why| LedgerError::unavailable(format!("the ledger's thread: {why}")))?;
        Ok(Self { path, thread: Some((sender, thread)) })
    }

    /// Has the thread read something.
    fn read<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut File) -> Result<T, LedgerError> + Send + 'static,
    ) -> BoxFuture<'_, Result<T, LedgerError>> {
        let read = |answer: oneshot::Sender<_>| {
            // Who asked may be gone by then.
            Job::Read(Box::new(move |file| drop(answer.send(what(file)))))
        };
        self.ask(read)
    }

    /// Has the thread change something; whether it did.
    fn change(&self, change: Change) -> BoxFuture<'_, Result<bool, LedgerError>> {
        let change = Box::new(change);
        self.ask(|answer| Job::Change(change, answer))
    }

    fn ask<'a, T: Send + 'a>(
        &'a self,
        job: impl FnOnce(oneshot::Sender<Result<T, LedgerError>>) -> Job + Send + 'a,
    ) -> BoxFuture<'a, Result<T, LedgerError>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let sent = self.thread.as_ref().map(|(sender, _)| sender.send(job(answer)));
            match (sent, answered.await) {
                (Some(Ok(())), Ok(answer)) => answer,
                _ => Err(LedgerError::unavailable("the ledger's thread has ended")),
            }
        })
    }
}

/// Does what is asked for until nobody can ask any more.
///
/// What was asked for meanwhile is done together: all changes wait for the disk once.
fn serve(file: &mut File, jobs: &Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        let (mut changes, mut answers) = (Vec::new(), Vec::new());
        for job in iter::once(first).chain(jobs.try_iter()).take(TOGETHER) {
            match job {
                // It tells of no change that may still be lost: none was begun.
                Job::Read(read) => read(file),
                Job::Change(change, answer) => {
                    changes.push(*change);
                    answers.push(answer);
                }
            }
        }
        if !changes.is_empty() {
            for (answer, done) in answers.into_iter().zip(file.change(&changes)) {
                // Who asked may be gone by then.
                drop(answer.send(done));
            }
        }
    }
}

impl Ledger for SqliteLedger {
    fn load<'a>(&'a self, key: &'a RowKey) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        let key = *key;
        self.read(move |file| file.load(key))
    }

    fn load_parked<'a>(
        &'a self,
        approval_id: &'a str,
    ) -> BoxFuture<'a, Result<Loaded, LedgerError>> {
        let approval_id = approval_id.to_owned();
        self.read(move |file| file.load_parked(&approval_id))
    }

    fn create<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        self.change(Change::Create(row.clone(), line.clone()))
    }

    fn swap<'a>(
        &'a self,
        row: &'a Row,
        line: &'a HistoryLine,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        self.change(Change::Swap(row.clone(), line.clone()))
    }

    fn remove<'a>(
        &'a self,
        key: &'a RowKey,
        version: u64,
    ) -> BoxFuture<'a, Result<bool, LedgerError>> {
        self.change(Change::Remove(*key, version))
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> BoxFuture<'a, Result<Vec<Row>, LedgerError>> {
        let filter = filter.clone();
        self.read(move |file| file.list(&filter))
    }

    fn history<'a>(
        &'a self,
        key: &'a RowKey,
    ) -> BoxFuture<'a, Result<Vec<HistoryLine>, LedgerError>> {
        let key = *key;
        self.read(move |file| file.history(key))
    }

    fn durability(&self) -> Durability {
        Durability::Durable
    }
}

impl fmt::Debug for SqliteLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteLedger").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Drop for SqliteLedger {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.thread.take() {
            // What was asked for is done before the file is closed.
            drop(sender);
            drop(thread.join());
        }
    }
}
