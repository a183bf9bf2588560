//! CPU samples in the file: instants in the polls that they hit.

use super::{Encoder, task_number};
use crate::encode::batch::{EncodeContext, StackSample};
use crate::encode::packets::{AnnotationValue, EventBody};
use crate::names::{AnnotationKey, EventName};

impl Encoder {
    /// Encodes a CPU sample. Its stack may have taken long to be named, so that its poll is in the
    /// file already.
    pub(super) fn write_sample(&mut self, sample: &StackSample, context: EncodeContext<'_>) {
        let track = self.track(sample.track, context);
        let stack: Vec<_> = sample.stack.iter().map(|function| self.packets.string(function)).collect();
        let site = sample.spawned_at.map(|site| self.packets.site(site));
        let site = site.map(|site| (AnnotationKey::SpawnedAt, AnnotationValue::String(site)));
        let annotations: Vec<_> = sample.task.map(task_number).into_iter().chain(site).collect();
        let name = Some(self.strings.event(EventName::Sample));
        let body = EventBody { name, annotations: &annotations, stack: &stack, ..EventBody::EMPTY };
        self.tracks.late_instant(&mut self.packets, track, sample.nanos, &body);
    }
}
