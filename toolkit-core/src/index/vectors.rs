//! Texts as vectors that point the same way where the texts mean the same.

use super::{Part, best};
use crate::error::BoxError;

/// What turns texts into vectors that point the same way where the texts mean the same.
///
/// A registry that is given one finds tools by words and by meaning, and fuses both rankings:
/// [`RegistryBuilder::embedder`](crate::RegistryBuilder::embedder). It is asked in the caller's
/// thread: for all tools once when the registry is built, then once a search.
///
/// ```
/// use serde_json::json;
/// use toolkit::prelude::*;
/// use toolkit::{BoxError, Embedder};
///
/// /// Knows two topics; a model of your own knows more.
/// struct Topics;
///
/// impl Embedder for Topics {
///     fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
///         let about = |text: &str, words: &[&str]| {
///             f32::from(u8::from(words.iter().any(|word| text.contains(word))))
///         };
///         let one = |text: &&str| {
///             vec![about(text, &["pay", "money"]), about(text, &["rain", "forecast"]), 0.1]
///         };
///         Ok(texts.iter().map(one).collect())
///     }
/// }
///
/// # let tool = |name, description| {
/// #     Tool::dynamic(name, description, json!({}), |_, _| async { Ok::<_, ToolError>(()) })
/// # };
/// let registry = Registry::builder()
///     .tool(tool("get_forecast", "Tells the weather of the next days."))
///     .tool(tool("create_payment", "Pays a customer."))
///     .embedder(Topics)
///     .build()?;
/// let view = registry.view(Caller::new("ann"));
/// assert_eq!(view.search("Send them money", 1)[0].name(), "create_payment");
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an embedder",
    label = "needs `Embedder`",
    note = "write `impl Embedder for {Self} {{ fn embed(&self, texts: &[&str]) -> … {{ … }} }}`"
)]
pub trait Embedder: Send + Sync {
    /// Gives one vector a text, in their order, all of one length, finite and not zero.
    ///
    /// # Errors
    /// The texts can not be embedded. When the registry is built, it is a mistake of the
    /// wiring; in a search it is logged, and the words alone decide.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError>;
}

/// One vector a document, each of length 1.
#[derive(Debug)]
pub(crate) struct Vectors {
    numbers: Box<[f32]>,
    length: usize,
}

impl Vectors {
    /// Embeds the texts of all documents.
    ///
    /// # Errors
    /// What is wrong with the vectors.
    pub(crate) fn of(embedder: &dyn Embedder, texts: &[&str]) -> Result<Self, String> {
        let vectors = embedder.embed(texts).map_err(|error| error.to_string())?;
        if vectors.len() != texts.len() {
            return Err(format!("{} texts were given {} vectors", texts.len(), vectors.len()));
        }
        let length = vectors.first().map_or(1, Vec::len);
        let mut numbers = Vec::with_capacity(length * vectors.len());
        for vector in vectors {
            numbers.extend(unit(vector, length)?);
        }
        Ok(Self { numbers: numbers.into(), length })
    }

    /// All documents of a part by the cosine of their vectors and the request's, best first.
    ///
    /// # Errors
    /// What is wrong with the request's vector.
    pub(crate) fn rank(
        &self,
        embedder: &dyn Embedder,
        part: &Part,
        request: &str,
    ) -> Result<Vec<(usize, f32)>, String> {
        let vectors = embedder.embed(&[request]).map_err(|error| error.to_string())?;
        let [vector] = <[Vec<f32>; 1]>::try_from(vectors)
            .map_err(|vectors| format!("one text was given {} vectors", vectors.len()))?;
        let asked = unit(vector, self.length)?;
        let cosine = |place: &usize| {
            let start = place * self.length;
            let vector = self.numbers.get(start..start + self.length).unwrap_or_default();
            (*place, vector.iter().zip(&asked).map(|(a, b)| a * b).sum())
        };
        Ok(best(part.members().iter().map(cosine).collect(), usize::MAX))
    }
}

/// The vector with the same direction and the length 1.
fn unit(mut vector: Vec<f32>, length: usize) -> Result<Vec<f32>, String> {
    if vector.len() != length {
        return Err(format!("a vector has {} numbers, and another {length}", vector.len()));
    }
    let norm = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if !norm.is_normal() {
        return Err("a vector is zero, or not finite".to_owned());
    }
    for number in &mut vector {
        *number /= norm;
    }
    Ok(vector)
}
