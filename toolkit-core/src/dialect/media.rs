//! What a provider carries of a result that is not text alone.

use crate::call::Outcome;
use crate::content::{Media, Shape};

/// A part of a result, as one provider carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Carried<'a> {
    /// Texts, and in words what it does not carry.
    Text(String),
    /// Of one of the types that it takes.
    Media(Media<'a>),
}

/// The images that most providers take.
pub(super) const IMAGES: &[&str] = &["image/png", "image/jpeg", "image/webp", "image/gif"];

/// The parts of a result for a provider that takes media of these types; `None` where a text says
/// all that it is told.
pub(super) fn carried<'a>(
    outcome: &'a Outcome,
    types: &[&'static str],
) -> Option<Vec<Carried<'a>>> {
    let mut parts: Vec<Carried<'a>> = Vec::new();
    for shape in outcome.shapes() {
        let text = match shape {
            Shape::Media(media) => match taken(media, types) {
                Some(media) => {
                    parts.push(Carried::Media(media));
                    continue;
                }
                None => media.left_out().into(),
            },
            Shape::Text(text) => text,
        };
        match parts.last_mut() {
            Some(Carried::Text(said)) => said.extend(["\n", &text]),
            // Providers refuse a blank text.
            Some(Carried::Media(_)) | None if text.trim().is_empty() => {}
            Some(Carried::Media(_)) | None => parts.push(Carried::Text(text.into_owned())),
        }
    }
    parts.iter().any(|part| matches!(part, Carried::Media(_))).then_some(parts)
}

/// The same by the provider's word for its type, where it takes that.
fn taken<'a>(media: Media<'a>, types: &[&'static str]) -> Option<Media<'a>> {
    let name = if media.mime_type.eq_ignore_ascii_case("image/jpg") {
        "image/jpeg"
    } else {
        media.mime_type
    };
    let mime_type = types.iter().find(|known| known.eq_ignore_ascii_case(name))?;
    Some(Media { mime_type, ..media })
}

impl Media<'_> {
    pub(super) fn is_image(&self) -> bool {
        self.mime_type.starts_with("image/")
    }

    /// As an address that has it in it.
    pub(super) fn data_uri(&self) -> String {
        format!("data:{};base64,{}", self.mime_type, self.data)
    }
}
