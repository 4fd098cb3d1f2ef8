//! What a tool takes from the registry and never from the model.

use std::any::{Any, TypeId, type_name};
use std::sync::Arc;

/// A state that a tool asks the registry for.
#[derive(Debug)]
pub struct StateNeed {
    pub(crate) type_name: fn() -> &'static str,
    /// How many states fit: one is right.
    pub(crate) count: fn(&dyn States) -> usize,
}

impl StateNeed {
    /// The state that a parameter of this type takes.
    #[must_use]
    pub const fn of<'a, S: FromStates<'a>>() -> Self {
        Self {
            type_name: type_name::<S::State>,
            count: |states| {
                let as_it_is = states.of_type(TypeId::of::<S::State>());
                let in_arc = states.of_type(TypeId::of::<Arc<S::State>>());
                usize::from(as_it_is.is_some()) + usize::from(in_arc.is_some())
            },
        }
    }
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
