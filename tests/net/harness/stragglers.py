"""One networked run among hosts of which one is far away and one is cut off in the middle, for good."""
import os
import statistics
import sys
import tempfile

from namespaces import Network
from parties import PATIENCE, Parties, until

PORT, PROXY_PORT = 7443, 7444
BATCH = 128
MAX_AGE = 10  # rounds that a model is reused for before it is waited for
WARMUP = 5  # rounds that wait for everybody, whatever late_models says
JOB = """\
[data]
name = "synthetic"
rows = {rows}
features = {features}
[code]
K = 2
T = 1
[model]
width = 32
[train]
epochs = {epochs}
batch_size = {batch}
[protocol]
late_models = "{late_models}"
warmup_rounds = {warmup}
dead_after = {dead_after}
max_age = {max_age}
"""


class Scene:
    """Who and where; any R = 5 of the clients' answers open a round."""

    def __init__(self, clients=7, mbits=300, delay_ms=400, rows=2000, features=64, epochs=15,
                 dead_after=6):
        self.names = [f"c{n + 1}" for n in range(clients)]
        self.far, self.lost = self.names[-1], self.names[1]
        self.mbits, self.delay_ms, self.dead_after = mbits, delay_ms, dead_after
        self.rows, self.features, self.epochs = rows, features, epochs

    def rounds(self):
        """About as many as the run has: three tenths of the rows are for testing."""
        return self.epochs * (self.rows * 7 // 10 // BATCH)

    def job(self, late_models):
        return JOB.format(rows=self.rows, features=self.features, epochs=self.epochs, batch=BATCH,
                          warmup=WARMUP,
                          late_models=late_models, dead_after=self.dead_after,
                          max_age=MAX_AGE)


class Outcome:
    """What the server wrote down of a run."""

    def __init__(self, scene, late_models, parties, cut_after, finished):
        self.scene, self.late_models, self.finished = scene, late_models, finished
        events = parties.events()
        self.rounds = [event for event in events if event["event"] == "round"]
        self.notes = [event["text"] for event in events if event["event"] == "note"]
        self.before, self.after = self.rounds[WARMUP:cut_after], self.rounds[cut_after - 1:]
        tests = [event for event in events if event["event"] == "test"]
        self.accuracy = tests[-1]["accuracy"] if tests else None
        self.majority = tests[-1]["majority"] if tests else None

    def model_age(self, name):
        """Of the client's model in the sums before the cut, in rounds, on average."""
        index = self.scene.names.index(name)
        return statistics.mean(event["model_age"][index] for event in self.before)

    def late_share(self, name):
        """Of the rounds before the cut, those that opened without this client's answer."""
        number = self.scene.names.index(name) + 1
        return sum(number in event["late"] for event in self.before) / len(self.before)

    def standing_still(self):
        """Models that had not been shared anew for long when the run ended."""
        return sum(age > 2 * MAX_AGE for age in self.rounds[-1]["model_age"])

    def declared_dead(self):
        return [note for note in self.notes if "declared dead" in note]


def seconds_each(rounds):
    """From one opening to the next."""
    times = [event["time"] for event in rounds]
    return [after - before for before, after in zip(times, times[1:])]


def run(program, scene, late_models, cut_after, stop_after=None, folder=None):
    """`cut_after`, `stop_after`: rounds until a client is cut off, and until the run is stopped if it is
    not to end by itself."""
    with tempfile.TemporaryDirectory(prefix="fedvs-hosts-", dir=folder) as place, \
            Network(["server", *scene.names], scene.mbits) as network:
        parties = Parties(program, place, scene.names, network.inside)
        try:
            start(parties, network, scene, late_models)
            finished = attend(parties, network, scene, cut_after, stop_after)
            return Outcome(scene, late_models, parties, cut_after, finished)
        except Exception:
            for who in parties.processes:
                print(f"---- {who}\n{parties.log(who)[-3000:]}", file=sys.stderr)
            raise
        finally:
            parties.stop_all()


def start(parties, network, scene, late_models):
    parties.run("data", "export", "synthetic", "--clients", len(scene.names), "--set",
                f"data.rows={scene.rows}", "--set", f"data.features={scene.features}", "--out",
                "parties")
    parties.deploy(scene.job(late_models), f"{network.address('server')}:{PORT}")
    parties.start_server("--threads", 1)
    proxy = os.path.join(os.path.dirname(os.path.abspath(__file__)), "delay.py")
    for name in scene.names:
        more = ["--threads", 1]
        if name == scene.far:
            parties.start("proxy", "/usr/bin/python3", proxy, PROXY_PORT,
                          network.address("server"), PORT, scene.delay_ms, host=name)
            more += ["--server", f"127.0.0.1:{PROXY_PORT}"]
        parties.start_client(name, *more)


def attend(parties, network, scene, cut_after, stop_after):
    """Whether the run ended by itself and well."""
    def reached(count):
        return lambda: len(parties.rounds()) >= count or parties.ended("server")

    until(reached(cut_after), PATIENCE, f"no round {cut_after}")
    network.cut_off(scene.lost)
    if stop_after is not None:
        until(reached(stop_after), PATIENCE, f"no round {stop_after}")
        return False
    return parties.status("server") == 0
