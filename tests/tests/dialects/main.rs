//! Every tool in every provider's form, and the way back.

mod dispatched;
mod goldens;
mod offers;
mod projection;
mod streams;
mod wires;
