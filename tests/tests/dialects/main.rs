//! Every tool in every provider's form, and the way back.

mod agreement;
mod cases;
mod dispatched;
mod goldens;
mod offers;
mod projection;
mod rules;
mod sdks;
mod servers;
mod streams;
mod transcript;
mod wires;
