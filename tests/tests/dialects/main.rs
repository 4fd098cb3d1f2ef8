//! Every tool in every provider's form, and the way back.

mod agreement;
mod dispatched;
mod goldens;
mod offers;
mod projection;
mod rules;
mod sdks;
mod streams;
mod wires;
