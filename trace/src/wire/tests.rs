//! Tests that a message is read back as it was written.

use fastrand::Rng;

use super::{FieldValue, Fields, MessageWriter};

/// A field in the form in which it should be read back.
#[derive(Debug, PartialEq)]
enum Written {
    Varint(u64),
    Fixed(u64),
    String(String),
    Message(Vec<(u32, Written)>),
}

fn random_message(random: &mut Rng, depth: u32) -> Vec<(u32, Written)> {
    let field = |random: &mut Rng| (1 + (random.u32(..) >> random.u32(3..32)), random_value(random, depth));
    (0..random.usize(..6)).map(|_| field(random)).collect()
}

fn random_value(random: &mut Rng, depth: u32) -> Written {
    match random.u32(..4) {
        0 => Written::Varint(random.u64(..) >> random.u32(..64)),
        1 => Written::Fixed(random.u64(..)),
        2 if depth > 0 => Written::Message(random_message(random, depth - 1)),
        _ => Written::String((0..random.usize(..200)).map(|_| random.char(..)).collect()),
    }
}

fn write(writer: &mut MessageWriter<'_>, message: &[(u32, Written)]) {
    for (field, value) in message {
        match value {
            Written::Varint(number) => writer.varint(*field, *number),
            Written::Fixed(number) => writer.fixed64(*field, *number),
            Written::String(text) => writer.string(*field, text),
            Written::Message(inner) => writer.message(*field, |writer| write(writer, inner)),
        }
    }
}

#[track_caller]
fn assert_reads_as(bytes: &[u8], message: &[(u32, Written)]) {
    let fields: Vec<_> = Fields::of(bytes).collect::<Result<_, _>>().expect("it is a message");
    assert_eq!(fields.len(), message.len());
    for ((field, value), (number, written)) in fields.iter().zip(message) {
        assert_eq!(field, number);
        match (written, value) {
            (Written::Varint(number), FieldValue::Varint(read)) => assert_eq!(read, number),
            (Written::Fixed(number), FieldValue::Fixed(read)) => assert_eq!(read, number),
            (Written::String(text), FieldValue::Bytes(bytes)) => assert_eq!(*bytes, text.as_bytes()),
            (Written::Message(inner), FieldValue::Bytes(bytes)) => assert_reads_as(bytes, inner),
            (written, read) => panic!("{read:?} is not {written:?}"),
        }
    }
}

#[test]
fn a_message_is_read_back_as_it_was_written() {
    let mut random = Rng::with_seed(11);
    for _ in 0..2_000 {
        let (message, mut bytes) = (random_message(&mut random, 3), Vec::new());
        write(&mut MessageWriter::at_the_end_of(&mut bytes), &message);
        assert_reads_as(&bytes, &message);
    }
}
