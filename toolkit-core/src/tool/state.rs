//! What a tool takes from the registry and never from the model.

use std::any::{Any, TypeId, type_name};
use std::sync::Arc;

use super::toolbox::{Receiver, Toolbox};

/// A state that a tool asks the registry for.
#[derive(Debug)]
pub struct StateNeed {
    pub(crate) by: NeededBy,
    pub(crate) type_name: fn() -> &'static str,
    /// How many states fit: one is right.
    pub(crate) count: fn(&dyn States) -> usize,
}

impl StateNeed {
    /// The state that a parameter of this type takes.
    #[must_use]
    pub const fn of<'a, S: FromStates<'a>>() -> Self {
        Self::by::<S::State>(NeededBy::Parameter)
    }

    /// The toolbox that a method's receiver of this type takes.
    #[must_use]
    pub const fn receiver<'a, T: Toolbox + ?Sized, R: Receiver<'a, T>>() -> Self {
        Self::by::<T>(NeededBy::Receiver)
    }

    const fn by<T: ?Sized + 'static>(by: NeededBy) -> Self {
        Self {
            by,
            type_name: type_name::<T>,
            count: |states| {
                let as_it_is = states.of_type(TypeId::of::<T>());
                let in_arc = states.of_type(TypeId::of::<Arc<T>>());
                usize::from(as_it_is.is_some()) + usize::from(in_arc.is_some())
            },
        }
    }
}

/// What a tool needs a state for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NeededBy {
    /// A `#[state]` parameter.
    Parameter,
    /// `self`.
    Receiver,
}

/// What the registry was given with `state`, by type.
pub trait States: Send + Sync {
    /// The state of that type, as an `Arc` of it.
    fn of_type(&self, id: TypeId) -> Option<&(dyn Any + Send + Sync)>;
}

/// A parameter that takes a state: `&T` or `Arc<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not take a state",
    label = "write `&T` or `Arc<T>`",
    note = "a state is shared between calls; `#[state]` goes on a parameter of type `&T` or `Arc<T>`"
)]
pub trait FromStates<'a>: Sized {
    /// The type whose value is shared.
    type State: Send + Sync + ?Sized + 'static;

    /// Takes it from the shared value.
    fn from_shared(shared: &'a Arc<Self::State>) -> Self;
}

impl<'a, T: Send + Sync + ?Sized + 'static> FromStates<'a> for &'a T {
    type State = T;

    fn from_shared(shared: &'a Arc<T>) -> Self {
        shared
    }
}

impl<T: Send + Sync + ?Sized + 'static> FromStates<'_> for Arc<T> {
    type State = T;

    fn from_shared(shared: &Self) -> Self {
        Self::clone(shared)
    }
}

/// A state given as `T`, or as an `Arc<T>` that the host shares.
pub(super) fn shared<T: Send + Sync + ?Sized + 'static>(states: &dyn States) -> Option<&Arc<T>> {
    if let Some(state) = states.of_type(TypeId::of::<T>()) {
        return state.downcast_ref::<Arc<T>>();
    }
    let state = states.of_type(TypeId::of::<Arc<T>>())?;
    state.downcast_ref::<Arc<Arc<T>>>().map(|arc| &**arc)
}
