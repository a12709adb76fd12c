"""One epoch of FedVS, all parties in one process, against the same training in plaintext PyTorch,
alternately."""
import time

from machine import cores, environment
from process import Conversation, say

PYTHON = "/usr/bin/python3"  # Debian's, which has Debian's torch
PEER = "bench/epoch/torch_epoch.py"
CLIENTS, WIDTH = 28, 64
LEAST, MOST, BUDGET = 3, 12, 40  # epochs of each, alternately; seconds


class Workload:
    def __init__(self, name, rows, features, classes, degree):
        self.name, self.rows, self.features = name, rows, features
        self.classes, self.degree = classes, degree

    def command(self, program, *sets):
        return [program, self.rows, self.features, self.classes, f"data.name={self.name}",
                f"data.clients={CLIENTS}", f"model.width={WIDTH}", "code.K=6", "code.T=1", *sets]

    def peer(self, batch, threads):
        return [PYTHON, PEER, self.rows, self.features, self.classes, self.degree, batch, CLIENTS,
                WIDTH, threads]


WORKLOADS = [Workload("fashion-mnist", 60000, 784, 10, 1), Workload("emnist", 93775, 784, 47, 2)]
# Every client shares a fresh model and evaluates every plan: all parties' whole work.
NOBODY_LATE = ("sim.delays=none", "protocol.late_models=wait")


def thread_counts():
    return [1, 2] if cores() > 1 else [1]


def measure(figures, program, workload):
    say(f"epochs of {workload.name} and PyTorch's, alternately")
    with Conversation(workload.command(program, *NOBODY_LATE), environment()) as own:
        figures.put(f"epoch.{workload.name}.setup_s", own.greeting["setup_seconds"])
        own.ask("rounds 20 1")  # caches, buffers
        uploads = own.ask("uploads")["per_round"]
        figures.put(f"epoch.{workload.name}.uploads_per_round", uploads)
        own_times, peer_times = {}, {}
        for threads in thread_counts():
            with Conversation(workload.peer(own.greeting["batch"], threads),
                              environment(threads)) as peer:
                peer.ask("epoch")
                own_times[threads], peer_times[threads] = alternate(own, peer, threads)
        report(figures, workload, own_times, peer_times)
    as_trained(figures, program, workload)


def alternate(own, peer, threads):
    own_times, peer_times = [], []
    started = time.monotonic()
    while len(own_times) < LEAST or (len(own_times) < MOST and
                                     time.monotonic() - started < BUDGET):
        own_times.append(own.ask(f"epoch {threads}")["seconds"])
        peer_times.append(peer.ask("epoch")["seconds"])
    return own_times, peer_times


def report(figures, workload, own_times, peer_times):
    for threads, own in own_times.items():
        key = f"epoch.{workload.name}.threads{threads}"
        figures.put(f"{key}.s", min(own), own)
        figures.put(f"{key}.torch_s", min(peer_times[threads]), peer_times[threads])
        figures.compare_times(f"{key}.x_torch", own, peer_times[threads])
    best_own = min(min(times) for times in own_times.values())
    best_peer = min(min(times) for times in peer_times.values())
    figures.put(f"epoch.{workload.name}.best.x_torch", best_own / best_peer)


def as_trained(figures, program, workload):
    """The default job: its delays, the paper's stragglers, late models reused."""
    with Conversation(workload.command(program), environment()) as own:
        own.ask("rounds 20 1")
        for threads in thread_counts():
            times = [own.ask(f"epoch {threads}")["seconds"] for _ in range(LEAST - 1)]
            figures.put(f"epoch.{workload.name}.as_trained.threads{threads}.s", min(times), times)
