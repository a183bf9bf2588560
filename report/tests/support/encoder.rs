//! Writes the packets of a trace, as docs and Perfetto's definitions number their fields.

/// A message under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message(pub(crate) Vec<u8>);

impl Message {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn varint(mut self, field: u32, number: u64) -> Self {
        self.key(field, 0);
        self.raw(number);
        self
    }

    pub(crate) fn fixed64(mut self, field: u32, number: u64) -> Self {
        self.key(field, 1);
        self.0.extend(number.to_le_bytes());
        self
    }

    pub(crate) fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.key(field, 2);
        self.raw(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub(crate) fn text(self, field: u32, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    pub(crate) fn message(self, field: u32, message: &Message) -> Self {
        self.bytes(field, &message.0)
    }

    fn key(&mut self, field: u32, kind: u64) {
        self.raw(u64::from(field) << 3 | kind);
    }

    fn raw(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

/// An annotation's value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    Number(u64),
    Text(&'a str),
    Flag(bool),
}

pub(crate) const BEGIN: u64 = 1;
pub(crate) const END: u64 = 2;
pub(crate) const INSTANT: u64 = 3;
pub(crate) const COUNTER: u64 = 4;

pub(crate) const NETPOLLER: u64 = 10;
pub(crate) const INJECTOR: u64 = 11;
pub(crate) const PROCESSOR: u64 = 1_000;
pub(crate) const QUEUE: u64 = 2_000;
pub(crate) const THREAD: u64 = 100_000;

/// A file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) bytes: Vec<u8>,
}

impl Trace {
    /// A file with its first packet, and the tracks of the process and of `processors`.
    pub(crate) fn new(process: &str, processors: u64) -> Self {
        let mut trace = Self::default();
        let defaults = Message::new().varint(58, 3);
        trace.packet(&Message::new().varint(10, 1).varint(13, 1).message(59, &defaults));
        trace.track(&Message::new().varint(1, 1).message(3, &Message::new().varint(1, 4242).text(6, process)));
        trace.track(&Message::new().varint(1, NETPOLLER).text(2, "netpoller").varint(5, 1));
        for index in 0..processors {
            let track = Message::new().varint(1, PROCESSOR + index).text(2, &format!("P{index}"));
            trace.track(&track.varint(5, 1).varint(12, index));
        }
        trace
    }

    pub(crate) fn thread(&mut self, number: u64, name: &str) {
        let thread = Message::new().varint(1, 4242).varint(2, 4242 + number).text(5, name);
        self.track(&Message::new().varint(1, THREAD + number).varint(5, 1).message(4, &thread));
    }

    pub(crate) fn track(&mut self, descriptor: &Message) {
        self.packet(&Message::new().varint(10, 1).message(60, descriptor));
    }

    pub(crate) fn packet(&mut self, packet: &Message) {
        self.bytes.extend(Message::new().message(1, packet).0);
    }

    pub(crate) fn event(&mut self, at: u64, kind: u64, track: u64, name: &str, annotations: &[(&str, Value<'_>)]) {
        let mut event = Message::new().varint(9, kind).varint(11, track);
        if !name.is_empty() {
            event = event.text(23, name);
        }
        for (word, value) in annotations {
            let annotation = Message::new().text(10, word);
            let annotation = match *value {
                Value::Number(number) => annotation.varint(3, number),
                Value::Text(text) => annotation.text(6, text),
                Value::Flag(flag) => annotation.varint(2, flag.into()),
            };
            event = event.message(4, &annotation);
        }
        self.packet(&Message::new().varint(8, at).varint(10, 1).message(11, &event));
    }

    pub(crate) fn counter(&mut self, at: u64, track: u64, value: u64) {
        let event = Message::new().varint(9, COUNTER).varint(11, track).varint(30, value);
        self.packet(&Message::new().varint(8, at).varint(10, 1).message(11, &event));
    }

    /// A poll on processor `index`.
    pub(crate) fn poll(&mut self, begin: u64, end: u64, index: u64, name: &str, annotations: &[(&str, Value<'_>)]) {
        self.event(begin, BEGIN, PROCESSOR + index, name, annotations);
        self.event(end, END, PROCESSOR + index, "", &[("outcome", Value::Text("pending"))]);
    }

    /// The mark at the file's end.
    pub(crate) fn close(&mut self, at: u64, dropped: u64) {
        self.event(at, INSTANT, 1, "events dropped", &[("count", Value::Number(dropped))]);
    }
}
