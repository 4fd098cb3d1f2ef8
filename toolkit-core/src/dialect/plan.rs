//! Every tool in every form that was asked for, and which of them one request sends strictly.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::budget::{Spent, over_each};
use super::definition::Definition;
use super::form::{Form, Strictness};
use super::inbound::Reading;
use super::project::Projection;
use super::shown::Mark;
use crate::error::{ToolConfigError, ToolConfigErrors};
use crate::tool::Effect;

/// One tool in a form, or everything that keeps it from having it.
type Projected = Result<Arc<Projection>, ToolConfigErrors>;

/// The tools of a registry in every form that was asked for, each made once.
#[derive(Default)]
pub(crate) struct Forms(Mutex<BTreeMap<Form, Arc<[Projected]>>>);

impl Forms {
    /// The definitions in a form that is strict or not, in their order.
    pub(crate) fn of(&self, definitions: &[Definition], form: Form) -> Arc<[Projected]> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = Arc::clone(made.entry(form).or_insert_with(|| {
            let one = |definition| Projection::of(definition, form).map(Arc::new);
            definitions.iter().map(one).collect()
        }));
        drop(made);
        all
    }

    /// How the arguments of a call of the tool at a place are to be read.
    pub(crate) fn reading(&self, definitions: &[Definition], place: usize, mark: Mark) -> Reading {
        let projection = |form: Form| {
            let all = self.of(definitions, form);
            all.get(place).and_then(|projected| projected.as_ref().ok().cloned())
        };
        match mark {
            Mark::In(form) if form == Form::EXACT => Reading::Full,
            Mark::In(form) => projection(form).map_or(Reading::Unknown, Reading::In),
            // It has one form at most that is not the full schema's.
            Mark::Unshown(form) => match projection(form.decided(true)) {
                Some(strict) if strict.re_encodes() => Reading::Unshown(strict),
                Some(_) | None => Reading::Full,
            },
            Mark::Undecided | Mark::Unknown => Reading::Unknown,
        }
    }

    /// What is sent of the tools at those places; the errors of those that can not be sent.
    pub(crate) fn plan(
        &self,
        definitions: &[Definition],
        visible: &[usize],
        form: Form,
    ) -> (Vec<Planned>, Vec<ToolConfigError>) {
        let is_strict = form.strictness() != Strictness::Plain;
        let first = self.of(definitions, form.decided(is_strict));
        let strict = visible.iter().filter_map(|index| Some((*index, first.get(*index)?)));
        if form.strictness() != Strictness::WherePossible {
            let mut planned = Vec::new();
            let mut errors = Vec::new();
            for (index, projected) in strict {
                match projected {
                    Ok(projection) => planned.push(Planned {
                        index,
                        projection: Arc::clone(projection),
                        is_strict,
                        why: None,
                    }),
                    Err(more) => errors.extend(more.iter().cloned()),
                }
            }
            return (planned, errors);
        }
        let plain = self.of(definitions, form.decided(false));
        let mut chosen = chosen(definitions, &strict.collect::<Vec<_>>(), form);
        if form.is_all_or_nothing() && chosen.iter().any(|(_, strict)| strict.is_err()) {
            for (_, strict) in &mut chosen {
                if strict.is_ok() {
                    *strict = Err("another tool has no strict form, and all must".to_owned());
                }
            }
        }
        let mut planned = Vec::new();
        let mut errors = Vec::new();
        for (index, strict) in chosen {
            let (projected, why) = match strict {
                Ok(projection) => (Ok(projection), None),
                Err(why) => (plain.get(index).cloned().unwrap_or_else(|| Err(none())), Some(why)),
            };
            match projected {
                Ok(projection) => {
                    let is_strict = why.is_none();
                    planned.push(Planned { index, projection, is_strict, why });
                }
                Err(more) => errors.extend(more.iter().cloned()),
            }
        }
        (planned, errors)
    }
}

fn none() -> ToolConfigErrors {
    ToolConfigErrors::found(Vec::new())
}

/// What is sent of one tool.
pub(crate) struct Planned {
    pub(crate) index: usize,
    pub(crate) projection: Arc<Projection>,
    pub(super) is_strict: bool,
    /// Why it is not strict, where it was to be.
    pub(super) why: Option<String>,
}

/// Those that can be strict in one request: the ones with effects first, then in their order.
fn chosen(
    definitions: &[Definition],
    all: &[(usize, &Projected)],
    form: Form,
) -> Vec<(usize, Result<Arc<Projection>, String>)> {
    let effect = |index: &usize| definitions.get(*index).and_then(|definition| definition.effect);
    let mut order: Vec<&(usize, &Projected)> = all.iter().collect();
    order.sort_by_key(|(index, _)| matches!(effect(index), None | Some(Effect::Read)));
    let room = form.room();
    let mut spent = Spent::default();
    let mut chosen: Vec<(usize, Result<Arc<Projection>, String>)> = Vec::new();
    for (index, projected) in order {
        let verdict = match projected {
            Err(errors) => Err(errors
                .iter()
                .next()
                .map_or_else(String::new, |error| error.message().to_owned())),
            Ok(projection) => {
                let with = spent.and(Spent::of(projection.schema()));
                let each = room.each.map(|each| over_each(projection.schema(), &each));
                match (with.over(&room), each.unwrap_or_default().first()) {
                    (None, None) => {
                        spent = with;
                        Ok(Arc::clone(projection))
                    }
                    (Some(over), _) => Err(format!("with it the request has {over}")),
                    (None, Some(over)) => Err(format!("it has {over}")),
                }
            }
        };
        chosen.push((*index, verdict));
    }
    chosen.sort_by_key(|(index, _)| *index);
    chosen
}
