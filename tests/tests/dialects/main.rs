//! Every tool in every provider's form, and the way back.

mod agreement;
mod beside;
mod cases;
mod dispatched;
mod goldens;
mod media;
mod offers;
mod pieces;
mod projection;
mod rules;
mod sdks;
mod servers;
mod shown;
mod streams;
mod table;
mod transcript;
mod wires;
