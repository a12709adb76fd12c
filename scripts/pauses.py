"""When sums were opened, and how long each kill or stop held up the next one (scripts/chaos).

A round or a result in the server's run/events.jsonl counts, a note does not: somebody's leaving is
written down too. An accident may hurt later than at once, since a group's models may be ten rounds
old: it is held to account for the longest pause until the next accident.
"""
import bisect
import os
import statistics
import threading
import time

EVERY = 0.02  # seconds between looks
OPENED = (b'"event":"round"', b'"event":"test"')


class Openings(threading.Thread):
    """The times at which lines about opened sums appeared."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.path = os.path.join(folder, "deploy/server/run/events.jsonl")
        self.times, self.read, self.over = [], 0, False

    def run(self):
        while not self.over:
            time.sleep(EVERY)
            try:
                self.look()
            except FileNotFoundError:
                pass  # nobody has begun

    def look(self):
        with open(self.path, "rb") as events:
            self.read = min(self.read, events.seek(0, os.SEEK_END))  # a killed server's torn line
            events.seek(self.read)
            text = events.read()
        whole = text.rfind(b"\n") + 1
        self.read += whole
        if any(line for line in text[:whole].splitlines() if any(o in line for o in OPENED)):
            self.times.append(time.time())

    def first_after(self, moment):
        """None: there was none."""
        times = list(self.times)
        place = bisect.bisect_right(times, moment)
        return times[place] if place < len(times) else None

    def longest_pause(self, begin, end):
        """Of those that begin or go on after `begin`, before `end`; to its end, which may be later."""
        times = list(self.times)
        longest, since = 0, begin
        for moment in times[bisect.bisect_right(times, begin):]:
            longest = max(longest, moment - since)
            since = moment
            if moment >= end:
                break
        return longest


class Accidents:
    """What was done when, and whether R that had been there for a while were left."""

    def __init__(self):
        self.happened, self.breaks = [], []

    def note(self, what, settled):
        self.happened.append((time.time(), what, settled))

    def interrupt(self):
        """The server is killed, or all are woken: what follows is nobody else's doing."""
        self.breaks.append(time.time())

    def pauses(self, openings, needed):
        """(seconds, when, what) of those that left enough; the same of those that did not."""
        enough, too_few = [], []
        for i, (begin, what, settled) in enumerate(self.happened):
            later = [a[0] for a in self.happened[i + 1:]] + [b for b in self.breaks if b > begin]
            end = min(later, default=begin)
            pause = openings.longest_pause(begin, end)
            cut = min([b for b in self.breaks if b > begin], default=begin + pause)
            (enough if settled >= needed else too_few).append((min(pause, cut - begin), begin, what))
        return enough, too_few


def told(pauses, aim):
    """In one line."""
    if not pauses:
        return "none"
    seconds = [p[0] for p in pauses]
    return (f"{len(seconds)}: median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s, "
            f"{sum(s > aim for s in seconds)} of them over {aim} s")
