//! The strategy: valid and invalid arguments, from a tool's published schema.

use std::ops::RangeInclusive;
use std::sync::Arc;

use proptest::arbitrary::any;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::built::Builder;
use super::dice::Dice;
use super::mistake::Mistake;

/// Generates a tool's arguments from its published schema: valid ones, and such with mistakes.
///
/// It is a proptest [`Strategy`]: the same seed gives the same arguments, and a failing
/// case shrinks. Unless [`mistakes`](Self::mistakes) says otherwise, about half of the
/// values have one to three mistakes of any kind.
///
/// ```
/// use proptest::strategy::{Strategy, ValueTree};
/// use proptest::test_runner::TestRunner;
/// use toolkit::prelude::*;
/// use toolkit::testing::Arguments;
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: u8, b: u8) -> u16 {
///     u16::from(a) + u16::from(b)
/// }
///
/// let view = Registry::builder().tools(tools![add]).build()?.view(Caller::new("ann"));
/// let schema = view.tools()[0].input_schema.clone();
/// let valid = Arguments::of(schema).mistakes(0..=0, []);
/// let arguments = valid.new_tree(&mut TestRunner::deterministic()).unwrap().current();
/// let call = ToolCall::new("call_1", "add", arguments.to_string());
/// assert_eq!(view.dispatch_blocking(call, Options::default())?.status(), Status::Ok);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Arguments {
    schema: Arc<Value>,
    count: Option<RangeInclusive<usize>>,
    kinds: Vec<Mistake>,
}

impl Arguments {
    /// Arguments for a tool of this input schema.
    #[must_use]
    pub fn of(schema: Value) -> Self {
        Self { schema: Arc::new(schema), count: None, kinds: Mistake::ALL.to_vec() }
    }

    /// Sets how many mistakes a value has, as far as there are places for them, and of which kinds.
    #[must_use]
    pub fn mistakes(
        mut self,
        count: RangeInclusive<usize>,
        kinds: impl IntoIterator<Item = Mistake>,
    ) -> Self {
        self.count = Some(count);
        self.kinds = kinds.into_iter().collect();
        self
    }

    fn generate(&self, seed: u64) -> Value {
        let mut builder = Builder { root: &self.schema, dice: Dice::of(seed) };
        let mut built = builder.build(&self.schema, 0);
        let mistakes = match &self.count {
            Some(count) => {
                count.start() + builder.dice.below(count.end() + 1 - count.start().min(count.end()))
            }
            None if builder.dice.one_in(2) => 0,
            None => 1 + builder.dice.below(3),
        };
        let (mut made, mut tries) = (0, 0);
        while made < mistakes && tries < mistakes * 8 {
            tries += 1;
            let kind = builder.dice.pick(&self.kinds).copied();
            made += usize::from(kind.is_some_and(|kind| kind.make(&mut built, &mut builder)));
        }
        built.value()
    }
}

impl Strategy for Arguments {
    type Tree = ArgumentsTree;
    type Value = Value;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let seed = any::<u64>().new_tree(runner)?.current();
        Ok(ArgumentsTree::of(self.generate(seed)))
    }
}

/// Arguments, and how they get simpler: [`Strategy::Tree`] of [`Arguments`].
///
/// Simpler means a member or an item less, or null in the place of one.
///
/// ```
/// use proptest::strategy::{Strategy, ValueTree};
/// use proptest::test_runner::TestRunner;
/// use serde_json::json;
/// use toolkit::testing::{Arguments, ArgumentsTree};
///
/// let schema = json!({"properties": {"amount": {"const": 5}}, "required": ["amount"]});
/// let arguments = Arguments::of(schema).mistakes(0..=0, []);
/// let mut tree: ArgumentsTree = arguments.new_tree(&mut TestRunner::deterministic())?;
/// while tree.simplify() {}
/// assert_eq!(tree.current(), json!({}));
/// # Ok::<(), proptest::test_runner::Reason>(())
/// ```
#[derive(Debug, Clone)]
pub struct ArgumentsTree {
    current: Value,
    before: Option<Value>,
    /// Which of the simpler values is tried next.
    next: usize,
}

impl ArgumentsTree {
    const fn of(current: Value) -> Self {
        Self { current, before: None, next: 0 }
    }

    /// Whether no simpler value was tried yet.
    pub(super) const fn is_untouched(&self) -> bool {
        self.before.is_none() && self.next == 0
    }
}

impl ValueTree for ArgumentsTree {
    type Value = Value;

    fn current(&self) -> Value {
        self.current.clone()
    }

    fn simplify(&mut self) -> bool {
        if self.before.is_some() {
            // The last step held; the places are counted anew.
            self.next = 0;
        }
        let Some(simpler) = simpler(&self.current, self.next) else { return false };
        self.before = Some(std::mem::replace(&mut self.current, simpler));
        self.next += 1;
        true
    }

    fn complicate(&mut self) -> bool {
        let Some(before) = self.before.take() else { return false };
        self.current = before;
        // What is taken back is not tried again.
        let Some(simpler) = simpler(&self.current, self.next) else { return false };
        self.before = Some(std::mem::replace(&mut self.current, simpler));
        self.next += 1;
        true
    }
}

/// The value with its `wanted`th member or item gone, or, after those, null.
fn simpler(value: &Value, wanted: usize) -> Option<Value> {
    let mut value = value.clone();
    let mut left = wanted;
    let mut change = |remove: bool| take(&mut value, &mut left, remove);
    let changed = change(true) || change(false);
    changed.then_some(value)
}

fn take(value: &mut Value, left: &mut usize, remove: bool) -> bool {
    match value {
        Value::Array(items) => {
            if remove && *left < items.len() {
                items.remove(*left);
                return true;
            }
            if remove {
                *left -= items.len();
            }
            items.iter_mut().any(|item| nulled(item, left, remove))
        }
        Value::Object(members) => {
            if remove && *left < members.len() {
                let name = members.keys().nth(*left).cloned();
                return name.is_some_and(|name| members.shift_remove(&name).is_some());
            }
            if remove {
                *left -= members.len();
            }
            members.values_mut().any(|member| nulled(member, left, remove))
        }
        _ => false,
    }
}

fn nulled(value: &mut Value, left: &mut usize, remove: bool) -> bool {
    if !remove && !value.is_null() {
        if *left == 0 {
            *value = Value::Null;
            return true;
        }
        *left -= 1;
    }
    take(value, left, remove)
}
