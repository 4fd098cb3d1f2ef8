//! Messages over a pair of streams, one a line; the lines are bounded, and each is answered.

use std::collections::VecDeque;
use std::io;
use std::marker::PhantomData;
use std::time::Duration;

use rmcp::model::{ErrorCode, ErrorData};
use rmcp::service::{RoleClient, RoleServer, RxJsonRpcMessage, ServiceRole, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::wire;

/// Messages that wait to be written; a client that does not read holds its own calls up.
const WAITING: usize = 64;

/// As much is written at once, where several messages wait.
const AT_ONCE: usize = 64 * 1024;

/// The most unreadable lines in a row that are answered: two sides that do not understand each
/// other's errors would go on for ever.
const ANSWERED: u32 = 16;

/// How long a peer may take to read what is left when the session ends.
const FAREWELL: Duration = Duration::from_secs(5);

/// Messages over a pair of streams, one a line.
pub(super) struct Lines<Role, R> {
    from: BufReader<R>,
    line: Vec<u8>,
    most: usize,
    /// Whether the rest of a line that is too long is being passed over.
    is_passing: bool,
    unreadable: u32,
    /// Answers to lines that were no message.
    refused: VecDeque<Vec<u8>>,
    to: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    role: PhantomData<fn() -> Role>,
}

impl<Role: End, R: AsyncRead + Unpin + Send> Lines<Role, R> {
    /// Over two streams; a line may have so many bytes.
    pub(super) fn new<W>(from: R, to: W, most: usize) -> Self
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (sender, waiting) = mpsc::channel(WAITING);
        Self {
            from: BufReader::new(from),
            line: Vec::new(),
            most,
            is_passing: false,
            unreadable: 0,
            refused: VecDeque::new(),
            to: Some(sender),
            writer: Some(tokio::spawn(write(to, waiting))),
            role: PhantomData,
        }
    }

    /// Reads on to the end of a line. It may be dropped at any time: nothing is lost.
    async fn read(&mut self) -> Read {
        loop {
            let seen = match self.from.fill_buf().await {
                Ok([]) | Err(_) => return Read::Over,
                Ok(seen) => seen,
            };
            let end = seen.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(seen.len(), |end| end + 1);
            let is_too_long = self.line.len() + taken > self.most;
            if !self.is_passing && !is_too_long {
                self.line.extend_from_slice(seen.get(..taken).unwrap_or_default());
            }
            self.from.consume(taken);
            let was_passing = self.is_passing;
            self.is_passing = end.is_none() && (was_passing || is_too_long);
            if was_passing {
                continue;
            }
            if is_too_long {
                self.line.clear();
                return Read::TooLong;
            }
            if end.is_some() {
                return Read::Line;
            }
        }
    }

    fn refuse(&mut self, code: ErrorCode, why: String) {
        self.unreadable += 1;
        if Role::ANSWERS && self.unreadable <= ANSWERED {
            let error = TxJsonRpcMessage::<Role>::error(ErrorData::new(code, why, None), None);
            self.refused.extend(written(&error).ok());
        }
    }
}

enum Read {
    Line,
    TooLong,
    Over,
}

/// What differs between the two ends of a session.
pub(super) trait End: ServiceRole {
    /// Whether a line that is no message is answered; else it is passed over, for there are
    /// servers that print to the same stream.
    const ANSWERS: bool;

    fn message(line: &[u8]) -> serde_json::Result<RxJsonRpcMessage<Self>>;
}

impl End for RoleServer {
    const ANSWERS: bool = true;

    fn message(line: &[u8]) -> serde_json::Result<RxJsonRpcMessage<Self>> {
        wire::client_message(line)
    }
}

impl End for RoleClient {
    const ANSWERS: bool = false;

    fn message(line: &[u8]) -> serde_json::Result<RxJsonRpcMessage<Self>> {
        serde_json::from_slice(line)
    }
}

impl<Role: End, R: AsyncRead + Unpin + Send> Transport<Role> for Lines<Role, R> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<Role>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let to = self.to.clone();
        async move {
            let line = written(&item)?;
            let to = to.ok_or(io::ErrorKind::BrokenPipe)?;
            to.send(line).await.map_err(|_closed| io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<Role>> {
        loop {
            if !self.refused.is_empty() {
                let permit = self.to.as_ref()?.reserve().await.ok()?;
                if let Some(refused) = self.refused.pop_front() {
                    permit.send(refused);
                }
                continue;
            }
            match self.read().await {
                Read::Over => return None,
                Read::TooLong if !Role::ANSWERS => {
                    // An answer is lost in it, and nobody knows to which call.
                    tracing::error!(most = self.most, "a message of the server is too long");
                    return None;
                }
                Read::TooLong => {
                    let why = format!("the message is longer than {} bytes", self.most);
                    self.refuse(ErrorCode::INVALID_REQUEST, why);
                }
                Read::Line => {
                    let parsed = Role::message(self.line.trim_ascii());
                    let is_blank = self.line.trim_ascii().is_empty();
                    self.line.clear();
                    match parsed {
                        Ok(message) => {
                            self.unreadable = 0;
                            return Some(message);
                        }
                        Err(_) if is_blank => {}
                        Err(error) if error.is_data() => {
                            let why = "the message is none of the protocol".to_owned();
                            self.refuse(ErrorCode::INVALID_REQUEST, why);
                        }
                        Err(error) => {
                            let why = format!("the message is not JSON: {error}");
                            self.refuse(ErrorCode::PARSE_ERROR, why);
                        }
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.to = None;
        if let Some(mut writer) = self.writer.take()
            && tokio::time::timeout(FAREWELL, &mut writer).await.is_err()
        {
            writer.abort();
        }
        Ok(())
    }
}

fn written(message: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Writes what waits, as much at once as there is.
async fn write(mut to: impl AsyncWrite + Unpin, mut waiting: mpsc::Receiver<Vec<u8>>) {
    while let Some(mut lines) = waiting.recv().await {
        while lines.len() < AT_ONCE
            && let Ok(more) = waiting.try_recv()
        {
            lines.extend_from_slice(&more);
        }
        let is_written = to.write_all(&lines).await.is_ok() && to.flush().await.is_ok();
        if !is_written {
            break;
        }
    }
}
