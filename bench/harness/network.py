"""A networked run of 28 clients on this machine, every party a process, beside the same job in the
simulator; and what the relay makes of bytes beside plain gRPC.

Figures of a run are of its second epoch of three, with the evaluation after it: by then connections are up,
rows are shared and groups are formed, and every process is still there to be asked what it used.
"""
import csv
import json
import os
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, "tests/net/harness")

from machine import environment  # noqa: E402: its folder is known only now
from parties import Parties, until  # noqa: E402
from process import say  # noqa: E402

DATA, CLIENTS, EPOCHS, LONGEST = "fashion-mnist", 28, 3, 900  # seconds
JOB = f"""\
[data]
name = "{DATA}"
clients = {CLIENTS}
[code]
K = 6
T = 1
[train]
epochs = {EPOCHS}
[sim]
delays = "none"
topology = "relay"
"""
SIZES = {524288: "512k", 50000: "50k", 7500: "7.5k"}
TICK = os.sysconf("SC_CLK_TCK")


def measure(figures, program, relay_bench):
    relay(figures, relay_bench)
    if subprocess.run([program, "data", "check", DATA], stdout=subprocess.DEVNULL,
                      check=False).returncode != 0:
        say(f"  no networked run: no {DATA} here (docs/data.md tells where its files go)")
        return
    runs(figures, program)


def relay(figures, program):
    say("the relay and plain gRPC, in turn (about 1 minute)")
    lines = subprocess.run([program], check=True, env=environment(), capture_output=True,
                           text=True).stdout.splitlines()
    for answer in map(json.loads, lines):
        key = f"network.relay.{SIZES[answer['parcel_bytes']]}"
        figures.put(f"{key}.mb_per_s", answer["relay_mb_per_second"])
        figures.put(f"{key}.raw_mb_per_s", answer["raw_two_hops_mb_per_second"])
        figures.put(f"{key}.x_raw", answer["ratio"])


def runs(figures, program):
    say(f"{CLIENTS} clients as processes, and in the simulator: {DATA}, {EPOCHS} epochs each")
    with tempfile.TemporaryDirectory(prefix="fedvs-bench-") as folder:
        parties = Parties(program, folder, [f"client-{n + 1}" for n in range(CLIENTS)])
        figures.put("network.load_before", os.getloadavg()[0])
        try:
            simulated(parties).put(figures, "network.simulator")
            networked(parties).put(figures, "network.run")
        finally:
            parties.stop_all()
    for what in ("rounds_per_s", "cpu_ms_per_round", "bytes_per_round"):
        own, peer = (figures.get(f"network.{run}.{what}") for run in ("run", "simulator"))
        figures.put(f"network.{what}.x_simulator", own / peer)


class Epoch:
    """The second one: the processors' time at both ends; then what the run wrote down."""

    def __init__(self, run, processes):
        self.run, self.processes, self.ends = run, processes, []

    def watch(self):
        while len(self.ends) < 2:
            until(lambda: len(self.rows()) > len(self.ends), LONGEST, "the epoch does not end")
            self.ends.append(sum(map(cpu_seconds, self.processes())))

    def rows(self):
        path = f"{self.run}/metrics.csv"
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8", newline="") as lines:
            return [row for row in csv.DictReader(line for line in lines if line.endswith("\n"))]

    def put(self, figures, key):
        with open(f"{self.run}/events.jsonl", encoding="utf-8") as lines:
            events = [event for event in map(json.loads, lines) if event["event"] == "round"]
        rounds = [event for event in events if event["epoch"] == 2]
        rows = self.rows()
        seconds = float(rows[1]["wall_seconds"]) - float(rows[0]["wall_seconds"])
        used = self.ends[1] - self.ends[0]
        sent = rounds[-1]["bytes_per_client"] - rounds[0]["bytes_per_client"]
        figures.put(f"{key}.rounds_per_s", len(rounds) / seconds)
        figures.put(f"{key}.cpu_ms_per_round", 1000 * used / len(rounds))
        figures.put(f"{key}.bytes_per_round", sent / (len(rounds) - 1))
        figures.put(f"{key}.bytes_before_round_2", events[0]["bytes_per_client"])  # rows, if shared
        figures.put(f"{key}.accuracy", float(rows[1]["test_accuracy"]))


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def simulated(parties):
    with open(f"{parties.folder}/sim.toml", "w", encoding="utf-8") as file:
        file.write(JOB)
    parties.start("simulator", parties.program, "train", "--job", "sim.toml", "--out", "sim",
                  "--no-report", "--json")
    epoch = Epoch(f"{parties.folder}/sim", parties.pids)
    epoch.watch()
    finish(parties, "simulator")
    return epoch


def networked(parties):
    parties.run("data", "export", DATA, "--clients", CLIENTS, "--out", "parties")
    parties.deploy_trial(JOB, f"127.0.0.1:{free_port()}")
    parties.start_server()
    for name in parties.names:
        parties.start_client(name, "--threads", 1)
    epoch = Epoch(f"{parties.folder}/deploy/server/run", parties.pids)
    epoch.watch()
    finish(parties, "server")
    return epoch


def finish(parties, who):
    if parties.status(who, LONGEST) != 0:
        sys.exit(f"bench: {who} failed:\n{parties.log(who)[-2000:]}")
    parties.stop_all()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
