//! Calls that wait for a person, put to the client's user by elicitation.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RoleServer, ServiceError};
use serde_json::{Value, json};
use toolkit_core::Caller;

use crate::ledger::{Desk, DeskError, Digest, ParkedCall, Person, RowState};

/// How the question is named among what a client is asked.
const QUESTION: &str = "approval";

/// The field of the form.
const FIELD: &str = "approve";

/// What a caller must be granted before its user's word counts.
const DECIDES: &str = "approvals:decide";

/// By what way people decided, as the ledger keeps it.
const CHANNEL: &str = "mcp elicitation";

/// What came of asking.
pub(super) enum Word<T> {
    /// The client is to ask, and to send the call again with the answer.
    Asked(InputRequiredResult),
    /// There was a decision, this one or an earlier.
    Decided(T),
    /// Nobody decided.
    Waits,
}

/// Whether the client can put a form before its user.
pub(super) fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let elicitation = context.client_capabilities().and_then(|can| can.elicitation);
    // Who says neither means forms: there was nothing else at first.
    elicitation.is_some_and(|can| can.form.is_some() || can.url.is_none())
}

/// Whether the caller may decide: who may only ask for calls would agree to its own.
pub(super) fn may_decide(caller: &Caller) -> bool {
    caller.granted().contains(DECIDES)
}

/// Whether people agreed to the call since it was parked, at the desk of another process perhaps.
pub(super) async fn is_approved(desk: &Desk, id: &str) -> bool {
    desk.show(id).await.is_ok_and(|shown| shown.state == RowState::Approved)
}

/// Asks while the call waits, as sessions up to 2025-11-25 do, and no longer than is said.
pub(super) async fn at_once(
    desk: &Desk,
    caller: &Caller,
    id: &str,
    longest: Duration,
    context: &RequestContext<RoleServer>,
) -> Word<()> {
    let Some((question, shown)) = question(desk, id).await else { return Word::Waits };
    let options = PeerRequestOptions::with_timeout(longest);
    let asked = async {
        let question = ServerRequest::ElicitRequest(question);
        // What is late is taken back by rmcp, which tells the client.
        context.peer.send_request_with_option(question, options).await?.await_response().await
    };
    let answer = tokio::select! {
        answer = asked => answer,
        () = context.ct.cancelled() => return Word::Waits,
    };
    match answer {
        Ok(ClientResult::ElicitResult(answer)) => {
            decide(desk, caller, id, &shown.binding, &answer).await
        }
        Ok(_) => Word::Waits,
        // Somebody at the desk may have decided while the user did not.
        Err(ServiceError::Timeout { .. }) if is_approved(desk, id).await => Word::Decided(()),
        Err(error) => {
            tracing::warn!(%error, "the client's user was not asked, or did not answer");
            Word::Waits
        }
    }
}

/// Sends the question back, and takes the answer from the call that is sent again, as the
/// stateless revisions from 2026-07-28 on do.
///
/// What the client sends back is only compared: the call itself led to the row, by its
/// caller, its tool and its arguments.
pub(super) async fn in_rounds(
    desk: &Desk,
    caller: &Caller,
    id: &str,
    request: &CallToolRequestParams,
) -> Word<()> {
    let seen = request.request_state.as_deref().and_then(|state| state.split_once(' '));
    let seen = seen.filter(|(of, _)| *of == id).and_then(|(_, seen)| seen.parse::<Digest>().ok());
    let answers = request.input_responses.as_ref();
    let answer = answers.and_then(|answers| answers.get(QUESTION)).cloned();
    let answer = answer.and_then(|answer| serde_json::from_value::<ElicitResult>(answer).ok());
    if let (Some(seen), Some(answer)) = (seen, answer) {
        return decide(desk, caller, id, &seen, &answer).await;
    }
    let Some((question, shown)) = question(desk, id).await else { return Word::Waits };
    let questions = BTreeMap::from([(QUESTION.to_owned(), InputRequest::Elicitation(question))]);
    let state = format!("{id} {}", shown.binding);
    Word::Asked(InputRequiredResult::new(Some(questions), Some(state)))
}

/// What the user is asked; `None` where the word of one person, who asked for the call, can
/// not be enough.
async fn question(desk: &Desk, id: &str) -> Option<(ElicitRequest, ParkedCall)> {
    let shown = match desk.show(id).await {
        Ok(shown) => shown,
        Err(error) => {
            tracing::warn!(%error, "a call that waits could not be shown");
            return None;
        }
    };
    if shown.four_eyes || shown.quorum > 1 {
        return None;
    }
    let form = json!({
        "type": "object",
        "properties": {FIELD: {
            "type": "boolean",
            "title": format!("Run {}", shown.tool),
            "description": "Yes runs it once, with exactly these arguments. No refuses it.",
        }},
        "required": [FIELD],
    });
    let requested_schema: ElicitationSchema = serde_json::from_value(form).ok()?;
    let message = shown.rendered.clone();
    let params =
        ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    Some((ElicitRequest::new(params), shown))
}

/// Takes the user's word to the desk.
async fn decide(
    desk: &Desk,
    caller: &Caller,
    id: &str,
    seen: &Digest,
    answer: &ElicitResult,
) -> Word<()> {
    let approves = answer.content.as_ref().and_then(|content| content.get(FIELD));
    let person = Person::authenticated(caller.principal(), CHANNEL)
        .tenant(caller.tenant_name().unwrap_or_default())
        .scopes(caller.granted().iter());
    let decided = match (&answer.action, approves) {
        (ElicitationAction::Accept, Some(Value::Bool(true))) => {
            desk.approve(&person, id, seen).await.map(|state| state == RowState::Approved)
        }
        (ElicitationAction::Accept, Some(Value::Bool(false))) | (ElicitationAction::Decline, _) => {
            desk.decline(&person, id, None).await.map(|()| true)
        }
        // Put aside, or nothing that can be read: nobody decided.
        _ => Ok(false),
    };
    match decided {
        Ok(true) | Err(DeskError::AlreadyDecided { .. } | DeskError::TooLate { .. }) => {
            Word::Decided(())
        }
        Ok(false) => Word::Waits,
        Err(error) => {
            tracing::warn!(%error, "the word of a client's user did not count");
            Word::Waits
        }
    }
}
