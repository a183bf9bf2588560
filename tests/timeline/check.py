"""Decodes a timeline with Perfetto's own definitions and checks what wsrt promises of the file.

    check.py FILE

Prints a summary as one line of JSON. Exits with 1, and says why, if a promise is broken.
"""

import json
import sys
from collections import Counter, defaultdict

from perfetto.protos.perfetto.trace import perfetto_trace_pb2

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
MONOTONIC = 3
SOURCES = {"runnext", "ring", "injector", "network", "timer", "stolen", "local", "unknown"}


class Broken(Exception):
    """A promise of the file does not hold."""


def require(condition, message):
    if not condition:
        raise Broken(message)


class Names:
    """What the packets have spelt out so far."""

    def __init__(self):
        self.events, self.notes, self.values = {}, {}, {}

    def learn(self, interned):
        for table, entries in (
            (self.events, interned.event_names),
            (self.notes, interned.debug_annotation_names),
        ):
            for entry in entries:
                require(table.get(entry.iid, entry.name) == entry.name, f"{entry.iid} is spelt in two ways")
                table[entry.iid] = entry.name
        for entry in interned.debug_annotation_string_values:
            self.values[entry.iid] = entry.str.decode()

    def event(self, event):
        if event.name_iid:
            require(event.name_iid in self.events, f"event name {event.name_iid} was never spelt out")
            return self.events[event.name_iid]
        return event.name

    def annotations(self, event):
        answer = {}
        for note in event.debug_annotations:
            require(note.name_iid in self.notes, f"annotation name {note.name_iid} was never spelt out")
            if note.array_values:
                numbers = [element.string_value_iid for element in note.array_values]
                require(all(number in self.values for number in numbers), f"texts of {numbers} were never spelt out")
                answer[self.notes[note.name_iid]] = [self.values[number] for number in numbers]
                continue
            kind = note.WhichOneof("value")
            value = getattr(note, kind)
            if kind == "string_value_iid":
                require(value in self.values, f"text {value} was never spelt out")
                value = self.values[value]
            answer[self.notes[note.name_iid]] = value
        return answer


class Track:
    def __init__(self, descriptor):
        self.name = descriptor.name or descriptor.thread.thread_name or descriptor.process.process_name
        self.is_counter = descriptor.HasField("counter")
        self.last = 0
        self.open = []


def check(path):
    trace = perfetto_trace_pb2.Trace()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    require(trace.packet, "there is no packet in it")
    require(trace.packet[0].sequence_flags & 1, "the first packet does not clear what came before")
    require(trace.packet[0].trace_packet_defaults.timestamp_clock_id == MONOTONIC, "times are by another clock")
    names, tracks = Names(), {}
    begun, ended = defaultdict(list), defaultdict(list)
    seen, polls, dropped = Counter(), Counter(), []
    sources, woken_by = Counter(), Counter()
    for packet in trace.packet:
        require(packet.trusted_packet_sequence_id == 1, "a packet of another sequence")
        names.learn(packet.interned_data)
        if packet.HasField("track_descriptor"):
            descriptor = packet.track_descriptor
            require(descriptor.uuid not in tracks, f"track {descriptor.uuid} is described twice")
            tracks[descriptor.uuid] = Track(descriptor)
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        require(event.track_uuid in tracks, f"track {event.track_uuid} is not described before its first event")
        track = tracks[event.track_uuid]
        notes = names.annotations(event)
        name = names.event(event)
        if name != "sample":
            # The stack of a sample may have taken long to be named.
            require(packet.timestamp >= track.last, f"time goes back on {track.name}: {track.last} > {packet.timestamp}")
            track.last = packet.timestamp
        for flow in event.flow_ids:
            begun[flow].append((packet.timestamp, name))
        for flow in event.terminating_flow_ids:
            ended[flow].append((packet.timestamp, name))
        if event.type == BEGIN:
            require(name, f"a slice without a name on {track.name}")
            track.open.append(name)
            seen["slices"] += 1
            if "source" in notes:
                check_poll(name, notes)
                polls[name] += 1
                sources[notes["source"]] += 1
                woken_by[notes.get("woken_by", "?")] += 1
        elif event.type == END:
            require(track.open, f"an end without a beginning on {track.name}")
            track.open.pop()
        elif event.type == INSTANT:
            require(name, f"an instant without a name on {track.name}")
            seen[name] += 1
            if name == "events dropped":
                dropped.append(notes["count"])
            if name == "sample":
                require(notes.get("stack"), f"a sample without a stack: {notes}")
            if name in ("wake", "spawn"):
                require(len(event.flow_ids) == 1, f"a {name} without an arrow")
                require("task" in notes and "by" in notes, f"a {name} that does not tell of whom: {notes}")
        elif event.type == COUNTER:
            require(track.is_counter, f"a counter's value on {track.name}")
            seen["counts"] += 1
    for track in tracks.values():
        require(not track.open, f"{track.open} never ends on {track.name}")
    require(dropped, "nothing is said of dropped events")
    check_arrows(begun, ended)
    orphans = [places for flow, places in ended.items() if places[0][1] == "events dropped"]
    require(sum(dropped) or not orphans, f"nothing was dropped, yet {len(orphans)} arrows went astray")
    return {
        "packets": len(trace.packet),
        "polls": sum(polls.values()),
        "names": len(polls),
        "arrows": len(begun),
        "dropped": sum(dropped),
        "tracks": sorted(track.name for track in tracks.values()),
        "sources": dict(sources),
        "woken_by": dict(woken_by),
        "seen": dict(seen),
        "most": polls.most_common(5),
    }


def check_poll(name, notes):
    require(notes["source"] in SOURCES, f"{name}: source {notes['source']}")
    require("task" in notes, f"{name}: no task")
    require(("victim" in notes) == (notes["source"] == "stolen"), f"{name}: {notes}")
    require("spawned_at" in notes or notes["source"] == "unknown", f"{name}: where was it spawned?")
    require(("waited_ns" in notes) == ("woken_by" in notes), f"{name}: {notes}")


def check_arrows(begun, ended):
    for flow, places in begun.items():
        require(len(places) == 1, f"arrow {flow} begins {len(places)} times")
        require(flow in ended, f"arrow {flow} from {places} leads nowhere")
    for flow, places in ended.items():
        require(len(places) == 1, f"arrow {flow} ends {len(places)} times")
        require(flow in begun, f"arrow {flow} to {places} comes from nowhere")


if __name__ == "__main__":
    try:
        print(json.dumps(check(sys.argv[1])))
    except Broken as broken:
        print(f"{sys.argv[1]}: {broken}", file=sys.stderr)
        sys.exit(1)
