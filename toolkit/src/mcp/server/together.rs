//! What of a streamed answer leaves with its head, in one piece.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Response;
use http_body::{Body as HttpBody, Frame};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;

use super::Body;

/// How long a head waits for what comes after it. Most calls are answered by then, and each piece
/// costs the server and its client about as much as the call itself.
const WAITS: Duration = Duration::from_millis(20);

/// A response with what comes of its body in a moment; one that has its body already waits for
/// nothing.
pub(super) async fn together(response: Response<Body>) -> Response<Body> {
    if response.body().size_hint().exact().is_some() {
        return response;
    }
    let (head, mut rest) = response.into_parts();
    let mut first = Vec::new();
    let gathered = async {
        while let Some(Ok(frame)) = rest.frame().await {
            first.extend_from_slice(&frame.into_data().unwrap_or_default());
        }
    };
    let is_over = tokio::time::timeout(WAITS, gathered).await.is_ok();
    let first = Bytes::from(first);
    let body = if is_over { Full::new(first).boxed() } else { Begun { first, rest }.boxed() };
    Response::from_parts(head, body)
}

/// A body of which the beginning is there.
struct Begun {
    first: Bytes,
    rest: Body,
}

impl HttpBody for Begun {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match std::mem::take(&mut self.first) {
            first if first.is_empty() => Pin::new(&mut self.rest).poll_frame(cx),
            first => Poll::Ready(Some(Ok(Frame::data(first)))),
        }
    }
}
