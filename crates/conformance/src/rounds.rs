//! Questions that a server puts into its answer: the client asks again and brings what it found out.

use std::collections::BTreeMap;
use std::sync::Mutex;

use rmcp::model::{ClientCapabilities, ErrorData, InputRequest, InputRequests, InputRequiredResult, InputResponses};
use serde_json::Value;

/// The states that were handed out, each with the round it belongs to. A state is only a handle: what it stands for stays
/// here, so that one that was tampered with stands for nothing.
#[derive(Debug, Default)]
pub(crate) struct States(Mutex<BTreeMap<String, usize>>);

impl States {
    fn hand_out(&self, round: usize) -> String {
        let mut states = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let state = format!("round-{round}-{}", states.len());
        states.insert(state.clone(), round);
        state
    }

    fn round(&self, state: &str) -> Result<usize, ErrorData> {
        let states = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let unknown = || ErrorData::invalid_params("the requestState is none that this server gave", None);
        states.get(state).copied().ok_or_else(unknown)
    }
}

/// What the client has said so far.
pub(crate) struct Said<'a> {
    pub(crate) answers: Option<&'a InputResponses>,
    pub(crate) state: Option<&'a str>,
    pub(crate) capabilities: Option<ClientCapabilities>,
}

/// The questions that come next, or none if everything is answered. With `states`, answers count only with a known state.
pub(crate) fn next(
    rounds: &[InputRequests],
    states: Option<&States>,
    said: &Said<'_>,
) -> Result<Option<InputRequiredResult>, ErrorData> {
    let (current, may_count) = match (states, said.state) {
        (Some(states), Some(state)) => (states.round(state)?, true),
        (Some(_), None) => (0, false),
        (None, _) => (0, true),
    };
    let answered = |questions: &InputRequests| {
        let is_there = |key: &String| said.answers.and_then(|answers| answers.get(key)).is_some_and(Value::is_object);
        questions.keys().all(is_there)
    };
    for (number, round) in rounds.iter().enumerate().skip(current) {
        let questions = answerable(round, said.capabilities.as_ref())?;
        if number > current || !may_count || !answered(&questions) {
            let state = states.map(|states| states.hand_out(number));
            return Ok(Some(InputRequiredResult::new(Some(questions), state)));
        }
    }
    Ok(None)
}

/// Those of some questions that the client said it can answer.
fn answerable(round: &InputRequests, capabilities: Option<&ClientCapabilities>) -> Result<InputRequests, ErrorData> {
    let none = ClientCapabilities::default();
    let has = capabilities.unwrap_or(&none);
    let can = |question: &InputRequest| match question {
        InputRequest::CreateMessage(_) => has.sampling.is_some(),
        InputRequest::Elicitation(_) => has.elicitation.is_some(),
        InputRequest::ListRoots(_) => has.roots.is_some(),
        _ => false,
    };
    let questions: InputRequests =
        round.iter().filter(|(_, question)| can(question)).map(|(key, value)| (key.clone(), value.clone())).collect();
    if questions.is_empty() {
        return Err(ErrorData::missing_required_client_capability(needed(round)));
    }
    Ok(questions)
}

/// What a client must be able to do for some questions.
fn needed(round: &InputRequests) -> ClientCapabilities {
    let mut needed = ClientCapabilities::default();
    for question in round.values() {
        match question {
            InputRequest::CreateMessage(_) => needed.sampling = Some(Default::default()),
            InputRequest::Elicitation(_) => needed.elicitation = Some(Default::default()),
            InputRequest::ListRoots(_) => needed.roots = Some(Default::default()),
            _ => {}
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn capable(value: Value) -> Option<ClientCapabilities> {
        Some(serde_json::from_value(value).unwrap())
    }

    fn two_rounds() -> Vec<InputRequests> {
        serde_json::from_value(json!([{ "a": { "method": "roots/list" } }, { "b": { "method": "roots/list" } }]))
            .unwrap()
    }

    fn keys(next: &Option<InputRequiredResult>) -> Vec<&str> {
        let requests = next.as_ref().and_then(|next| next.input_requests.as_ref());
        requests.map(|requests| requests.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    #[test]
    fn rounds_follow_each_other() {
        let (rounds, states) = (two_rounds(), States::default());
        let ask = |answers: Value, state: Option<String>| {
            let answers: InputResponses = serde_json::from_value(answers).unwrap();
            let capabilities = capable(json!({ "roots": {} }));
            next(&rounds, Some(&states), &Said { answers: Some(&answers), state: state.as_deref(), capabilities })
        };
        let first = ask(json!({ "a": {} }), None).unwrap();
        assert_eq!(keys(&first), ["a"]);
        let state = first.and_then(|first| first.request_state);
        assert_eq!(keys(&ask(json!({ "a": 3 }), state.clone()).unwrap()), ["a"]);
        let second = ask(json!({ "a": {}, "other": {} }), state.clone()).unwrap();
        assert_eq!(keys(&second), ["b"]);
        assert!(ask(json!({ "b": {} }), second.and_then(|second| second.request_state)).unwrap().is_none());
        assert!(ask(json!({ "a": {} }), state.map(|state| state + "x")).is_err());
    }

    #[test]
    fn only_what_the_client_can_do_is_asked() {
        let round: InputRequests = serde_json::from_value(json!({
            "roots": { "method": "roots/list" },
            "model": { "method": "sampling/createMessage", "params": { "messages": [], "maxTokens": 1 } },
        }))
        .unwrap();
        let asked =
            |capabilities| next(std::slice::from_ref(&round), None, &Said { answers: None, state: None, capabilities });
        assert_eq!(keys(&asked(capable(json!({ "sampling": {} }))).unwrap()), ["model"]);
        let error = asked(None).unwrap_err();
        assert_eq!(error.code.0, -32021);
        assert_eq!(error.data, Some(json!({ "requiredCapabilities": { "roots": {}, "sampling": {} } })));
    }
}
