//! A sentence encoder of BERT's kind, in plain arithmetic.

use std::error::Error;
use std::fs;
use std::path::Path;

use ndarray::{Array, Array1, Array2, Axis, Dimension, IntoDimension, Slice};
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use toolkit::{BoxError, Embedder};

use super::word_pieces::WordPieces;

/// An encoder of sentences, read from a folder as `sentence-transformers` writes it:
/// `config.json`, `vocab.txt` and `model.safetensors`, of a BERT without capitals whose pieces'
/// vectors are averaged, such as `all-MiniLM-L6-v2`.
pub(crate) struct SentenceEncoder {
    pieces: WordPieces,
    words: Array2<f32>,
    places: Array2<f32>,
    first: Norm,
    layers: Vec<Layer>,
}

/// One layer: every piece looks at every other, and then at itself.
struct Layer {
    heads: usize,
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

struct Linear {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
    epsilon: f32,
}

#[derive(Deserialize)]
struct Config {
    model_type: String,
    hidden_act: String,
    hidden_size: usize,
    intermediate_size: usize,
    layer_norm_eps: f32,
    max_position_embeddings: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    type_vocab_size: usize,
}

impl SentenceEncoder {
    /// Reads the weights of a folder.
    ///
    /// # Errors
    /// A file is not there or not of such an encoder; the text says which and why.
    pub(crate) fn open(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let read = |name: &str| {
            fs::read(folder.join(name))
                .map_err(|error| format!("{}: {error}", folder.join(name).display()))
        };
        let config: Config = serde_json::from_slice(&read("config.json")?)
            .map_err(|error| format!("config.json: {error}"))?;
        config.check()?;
        let pieces = WordPieces::of(&String::from_utf8(read("vocab.txt")?)?)?;
        let bytes = read("model.safetensors")?;
        let file = SafeTensors::deserialize(&bytes)
            .map_err(|error| format!("model.safetensors: {error}"))?;
        let weights = Weights { file, config: &config };
        let embedding = |name: &str, rows: usize| {
            let name = format!("embeddings.{name}_embeddings.weight");
            weights.array(&name, [rows, config.hidden_size])
        };
        // A sentence alone is of the first type throughout.
        let of_first_type = embedding("token_type", config.type_vocab_size)?;
        let places = embedding("position", config.max_position_embeddings)?;
        let layers = (0..config.num_hidden_layers).map(|number| weights.layer(number));
        Ok(Self {
            words: embedding("word", pieces.count())?,
            places: places + of_first_type.slice_axis(Axis(0), Slice::from(..1)),
            first: weights.norm("embeddings.LayerNorm")?,
            layers: layers.collect::<Result<_, _>>()?,
            pieces,
        })
    }

    fn embed_one(&self, text: &str) -> Vec<f32> {
        let numbers = self.pieces.numbers(text, self.places.nrows().min(LONGEST));
        let words = self.words.select(Axis(0), &numbers);
        let places = self.places.slice_axis(Axis(0), Slice::from(..numbers.len()));
        let mut sentence = self.first.of(words + places);
        for layer in &self.layers {
            sentence = layer.of(&sentence);
        }
        sentence.mean_axis(Axis(0)).unwrap_or_default().to_vec()
    }
}

/// The most pieces of a text that are read: what these models were trained on.
const LONGEST: usize = 256;

impl Embedder for SentenceEncoder {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
        Ok(texts.iter().map(|text| self.embed_one(text)).collect())
    }
}

impl Config {
    fn check(&self) -> Result<(), String> {
        for (name, found, right) in
            [("model_type", &self.model_type, "bert"), ("hidden_act", &self.hidden_act, "gelu")]
        {
            if found != right {
                return Err(format!(
                    "config.json: {name} is {found:?}; this reads {right:?} alone"
                ));
            }
        }
        let (size, heads) = (self.hidden_size, self.num_attention_heads);
        if heads == 0 || size % heads != 0 {
            return Err(format!("config.json: {heads} heads do not share {size} numbers evenly"));
        }
        for (name, found, least) in [
            ("max_position_embeddings", self.max_position_embeddings, 3),
            ("type_vocab_size", self.type_vocab_size, 1),
        ] {
            if found < least {
                return Err(format!("config.json: {name} is {found}; {least} is the least"));
            }
        }
        Ok(())
    }
}

impl Layer {
    fn of(&self, sentence: &Array2<f32>) -> Array2<f32> {
        let attended = self.attended.of(&self.attention(sentence));
        let seen = self.attended_norm.of(attended + sentence);
        let own = self.narrow.of(&self.wide.of(&seen).mapv_into(gelu));
        self.norm.of(own + &seen)
    }

    /// What each piece takes from the others: the more, the better its query fits their key.
    fn attention(&self, sentence: &Array2<f32>) -> Array2<f32> {
        let (queries, keys) = (self.query.of(sentence), self.key.of(sentence));
        let values = self.value.of(sentence);
        let width = sentence.ncols() / self.heads;
        #[expect(clippy::cast_precision_loss, reason = "a width is far below 2^24")]
        let scale = (width as f32).sqrt();
        let mut taken = Array2::zeros(sentence.raw_dim());
        for head in 0..self.heads {
            let part = Slice::from(head * width..(head + 1) * width);
            let [query, key, value] =
                [&queries, &keys, &values].map(|all| all.slice_axis(Axis(1), part));
            let fits = query.dot(&key.t()) / scale;
            taken.slice_axis_mut(Axis(1), part).assign(&shares(fits).dot(&value));
        }
        taken
    }
}

impl Linear {
    fn of(&self, sentence: &Array2<f32>) -> Array2<f32> {
        sentence.dot(&self.weight.t()) + &self.bias
    }
}

impl Norm {
    /// Each row with the mean 0 and the variance 1, stretched and moved.
    fn of(&self, mut sentence: Array2<f32>) -> Array2<f32> {
        for mut row in sentence.rows_mut() {
            let mean = row.mean().unwrap_or_default();
            row -= mean;
            let variance = row.pow2().mean().unwrap_or_default();
            row /= (variance + self.epsilon).sqrt();
        }
        sentence * &self.weight + &self.bias
    }
}

/// Each row as shares of 1 (softmax).
fn shares(mut fits: Array2<f32>) -> Array2<f32> {
    for mut row in fits.rows_mut() {
        let most = row.fold(f32::MIN, |most, fit| most.max(*fit));
        row.mapv_inplace(|fit| (fit - most).exp());
        row /= row.sum();
    }
    fits
}

fn gelu(number: f32) -> f32 {
    0.5 * number * (1.0 + libm::erff(number * std::f32::consts::FRAC_1_SQRT_2))
}

/// The tensors of a file, by their names.
struct Weights<'a> {
    file: SafeTensors<'a>,
    config: &'a Config,
}

impl Weights<'_> {
    fn layer(&self, number: usize) -> Result<Layer, Box<dyn Error>> {
        let (size, wide) = (self.config.hidden_size, self.config.intermediate_size);
        let linear = |name: &str, [to, from]: [usize; 2]| {
            let name = format!("encoder.layer.{number}.{name}");
            let weight = self.array(&format!("{name}.weight"), [to, from])?;
            Ok::<_, Box<dyn Error>>(Linear {
                weight,
                bias: self.array(&format!("{name}.bias"), [to])?,
            })
        };
        let norm = |name: &str| self.norm(&format!("encoder.layer.{number}.{name}.LayerNorm"));
        Ok(Layer {
            heads: self.config.num_attention_heads,
            query: linear("attention.self.query", [size, size])?,
            key: linear("attention.self.key", [size, size])?,
            value: linear("attention.self.value", [size, size])?,
            attended: linear("attention.output.dense", [size, size])?,
            attended_norm: norm("attention.output")?,
            wide: linear("intermediate.dense", [wide, size])?,
            narrow: linear("output.dense", [size, wide])?,
            norm: norm("output")?,
        })
    }

    fn norm(&self, name: &str) -> Result<Norm, Box<dyn Error>> {
        let part = |part: &str| self.array(&format!("{name}.{part}"), [self.config.hidden_size]);
        let epsilon = self.config.layer_norm_eps;
        Ok(Norm { weight: part("weight")?, bias: part("bias")?, epsilon })
    }

    fn array<D: Dimension>(
        &self,
        name: &str,
        shape: impl IntoDimension<Dim = D>,
    ) -> Result<Array<f32, D>, Box<dyn Error>> {
        let shape = shape.into_dimension();
        let tensor =
            self.file.tensor(name).map_err(|error| format!("model.safetensors: {error}"))?;
        if (tensor.dtype(), tensor.shape()) != (Dtype::F32, shape.slice()) {
            let (of, found) = (tensor.dtype(), tensor.shape());
            return Err(format!(
                "model.safetensors: {name} is {of:?} {found:?}; by config.json and vocab.txt F32 {:?} is right",
                shape.slice()
            )
            .into());
        }
        let (numbers, _) = tensor.data().as_chunks();
        let numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        Ok(Array::from_shape_vec(shape, numbers)?)
    }
}
