"""A long run watched for what grows: memory, files, descriptors (scripts/chaos --soak SECONDS).

One client is killed and stays away until the end, so that the server keeps gradients for it up to
protocol.max_catch_up; another one is killed and comes back again and again. Every few seconds the
resident memory and the open descriptors of every process and the sizes of its folder are written
to soak.csv, and drawn in soak.svg at the end. What grows over the second half by more than below
fails.
"""
import csv
import glob
import os
import shutil
import signal
import statistics
import subprocess
import time

MB = 1e6
EVERY = 2.0  # seconds between samples
AWAY, RESTLESS = "client-8", "client-7"
# Growth over the second half, per process.
MEMORY = lambda minutes: 4 * MB + 0.25 * MB * minutes  # noqa: E731; what an allocator may keep
STATE = 20 * MB  # two segments of the gradient log, and checkpoints being written
DESCRIPTORS = 8
PAST_PER_ROUND = 1500  # bytes of run/: events and metrics are kept for ever


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS"):
                return 1024 * int(line.split()[1])
    return 0


def written(pid):
    with open(f"/proc/{pid}/io") as io:
        return int([line for line in io if line.startswith("write_bytes")][0].split()[1])


def size_of(folder):
    size = 0
    for path in glob.glob(os.path.join(folder, "**"), recursive=True):
        try:
            if os.path.isfile(path):
                size += os.path.getsize(path)
        except OSError:
            pass  # replaced or removed meanwhile
    return size


class Watch:
    def __init__(self, stage):
        self.stage, self.samples, self.began = stage, [], time.time()
        self.rounds, self.read = 0, 0

    def count_rounds(self):
        with open(os.path.join(self.stage.folder, "deploy/server/run/events.jsonl"), "rb") as events:
            events.seek(self.read)
            text = events.read()
        whole = text.rfind(b"\n") + 1
        self.rounds += text[:whole].count(b'"event":"round"')
        self.read += whole

    def sample(self):
        self.count_rounds()
        at = time.time() - self.began
        for who, process in self.stage.processes.items():
            if process.poll() is not None:
                continue
            folder = os.path.join(self.stage.folder, "deploy", who)
            try:
                self.samples.append({
                    "seconds": round(at, 1), "party": who, "round": self.rounds,
                    "resident": resident(process.pid),
                    "descriptors": len(os.listdir(f"/proc/{process.pid}/fd")),
                    "written": written(process.pid),
                    "state": size_of(os.path.join(folder, "state")),
                    "past": size_of(os.path.join(folder, "run"))})
            except (FileNotFoundError, ProcessLookupError):
                pass  # it ended meanwhile

    def of(self, party):
        return [s for s in self.samples if s["party"] == party]

    def leave(self, out):
        os.makedirs(out, exist_ok=True)
        table = os.path.join(out, "soak.csv")
        with open(table, "w", newline="") as file:
            rows = csv.DictWriter(file, self.samples[0].keys())
            rows.writeheader()
            rows.writerows(self.samples)
        if shutil.which("gnuplot"):
            self.draw(out)
        return table

    def draw(self, out):
        plots = []
        for what in ("resident", "state"):
            lines = []
            for party in sorted({s["party"] for s in self.samples}):
                name = os.path.join(out, f".{party}-{what}")
                with open(name, "w") as data:
                    data.writelines(f"{s['seconds'] / 60} {s[what] / MB}\n" for s in self.of(party))
                lines.append(f"'{name}' with lines title '{party}'")
            plots.append(f"set ylabel '{what}, MB'\nplot " + ", ".join(lines))
        picture = os.path.join(out, "soak.svg")
        script = (f"set term svg size 900,700\nset output '{picture}'\nset xlabel 'minutes'\n"
                  "set key outside\nset yrange [0:*]\nset multiplot layout 2,1\n" + "\n".join(plots) +
                  "\nunset multiplot\n")
        subprocess.run(["gnuplot"], input=script, text=True, check=False)
        for name in glob.glob(os.path.join(out, ".*-resident")) + glob.glob(os.path.join(out, ".*-state")):
            os.remove(name)

    def growth(self, party, what):
        """Over the second half, from tenth to tenth of it; None for a party that was away."""
        samples = self.of(party)
        end = self.samples[-1]["seconds"]
        half = [s for s in samples if s["seconds"] >= end / 2]
        if len(half) < 10:
            return None
        tenth = max(2, len(half) // 10)
        values = [s[what] for s in half]
        return statistics.median(values[-tenth:]) - statistics.median(values[:tenth])

    def judge(self):
        wrong = []
        minutes = self.samples[-1]["seconds"] / 120
        half = [s for s in self.of("server") if s["seconds"] >= self.samples[-1]["seconds"] / 2]
        rounds = max(1, half[-1]["round"] - half[0]["round"])
        print(f"second half: {minutes:.1f} minutes, {rounds} rounds, "
              f"{rounds / 60 / minutes:.1f} a second; the server wrote "
              f"{(half[-1]['written'] - half[0]['written']) / rounds / 1000:.0f} kB a round")
        for party in sorted({s["party"] for s in self.samples} - {AWAY}):
            state, memory = self.growth(party, "state"), self.growth(party, "resident")
            descriptors, past = self.growth(party, "descriptors"), self.growth(party, "past")
            if state is None:
                continue
            last = self.of(party)[-1]
            print(f"{party}: memory {last['resident'] / MB:.1f} MB, {memory / MB / minutes:+.2f} a minute; "
                  f"state/ {last['state'] / MB:.1f} MB, {state / MB / minutes:+.2f} a minute; "
                  f"{last['descriptors']} descriptors, {descriptors:+.0f}")
            if memory > MEMORY(minutes) and party != RESTLESS:
                wrong.append(f"{party}: memory grew by {memory / MB:.1f} MB, "
                             f"more than {MEMORY(minutes) / MB:.1f}")
            if state > STATE:
                wrong.append(f"{party}: state/ grew by {state / MB:.1f} MB, more than {STATE / MB:.0f}")
            if descriptors > DESCRIPTORS:
                wrong.append(f"{party}: {descriptors:.0f} more descriptors")
            if past > PAST_PER_ROUND * rounds:
                wrong.append(f"{party}: run/ grew by {past / rounds:.0f} bytes a round")
        return wrong


def come_and_go(stage, turn):
    """The restless one: five seconds away of every twenty."""
    process = stage.processes[RESTLESS]
    if turn % 20 < 5 and process.poll() is None:
        process.kill()
        process.wait()
    elif turn % 20 >= 5 and process.poll() is not None:
        stage.start(RESTLESS)


def perform(stage, seconds, bounded, wait_for_epoch):
    """Complaints, or none."""
    stage.start("server")
    for client in stage.clients():
        stage.start(client)
    if not wait_for_epoch(stage):
        return ["no epoch within three minutes"]
    stage.processes[AWAY].kill()
    stage.processes[AWAY].wait()
    stage.say(f"{AWAY} is away, {RESTLESS} comes and goes; watching for {seconds:.0f} s")
    watch = Watch(stage)
    while time.time() - watch.began < seconds:
        if stage.server_ended() is not None:
            return [f"the server ended with {stage.server_ended()}"]
        come_and_go(stage, time.time() - watch.began)
        watch.sample()
        time.sleep(EVERY)
    print("samples are in", watch.leave(stage.out))
    wrong = watch.judge()
    if bounded:
        wrong += return_too_late(stage)
    stage.processes["server"].send_signal(signal.SIGTERM)
    ended = stage.processes["server"].wait(timeout=120)
    return wrong + ([] if ended == 3 else [f"the server, stopped, ended with {ended}"])


def return_too_late(stage):
    """The one that was away for long is told so, and the run goes on."""
    stage.start(AWAY)
    try:
        ended = stage.processes[AWAY].wait(timeout=60)
    except subprocess.TimeoutExpired:
        return [f"{AWAY} came back after more than protocol.max_catch_up rounds and was not told"]
    told = "protocol.max_catch_up" in stage.log(AWAY)
    return [] if ended == 5 and told else [f"{AWAY} ended with {ended}: {stage.log(AWAY)[-500:]}"]
