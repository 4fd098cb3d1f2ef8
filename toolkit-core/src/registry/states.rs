//! What the functions of a program share: one value of a type.

use std::any::{Any, TypeId, type_name};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::ToolConfigError;
use crate::tool::States;

/// What a value was given as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    State,
    Toolbox,
}

/// The states by type, each an `Arc` of the value.
#[derive(Default)]
pub(super) struct Shared(BTreeMap<TypeId, (Given, Box<dyn Any + Send + Sync>)>);

impl Shared {
    /// Keeps a value; where there is one of its type, tells what that was given as, and the fault.
    pub(super) fn give<T: Send + Sync + ?Sized + 'static>(
        &mut self,
        given: Given,
        value: Arc<T>,
    ) -> Option<(Given, ToolConfigError)> {
        let (earlier, _) = self.0.insert(TypeId::of::<T>(), (given, Box::new(value)))?;
        let name = type_name::<T>();
        let fault = ToolConfigError::new(match (earlier, given) {
            (Given::State, Given::State) => {
                format!("two states of type `{name}` are given; keep one")
            }
            (Given::Toolbox, Given::Toolbox) => format!(
                "two toolboxes of type `{name}` are given, and their tools have the same names; \
                 keep one"
            ),
            (Given::State, Given::Toolbox) | (Given::Toolbox, Given::State) => format!(
                "a state and a toolbox of type `{name}` are given; keep the toolbox, which is a \
                 state, too"
            ),
        });
        Some((earlier, fault))
    }
}

impl States for Shared {
    fn of_type(&self, id: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        self.0.get(&id).map(|(_, state)| &**state)
    }
}
