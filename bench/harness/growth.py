"""How a round and memory grow with clients and rows, beside the paper's complexity section.

Work of all parties in a round, by the paper:
    model sharing  sum_n d_n D_n h N log^2 N      evaluation  N b h sum_n d_n D_n
    decoding       b h R log^2 R
Memory of all parties: N shares of M/K rows by sum_n d_n D_n columns. Both grow by the ratio of these
to the smallest case; what is measured may grow more slowly (constant parts), not faster. Rounds are
in processor time of one thread, so that what else the machine does is left out."""
from math import log

from epoch import NOBODY_LATE
from machine import environment
from process import Conversation, say

FEATURES, ROWS, CLASSES, WIDTH, BATCH = 784, 12000, 10, 64, 256
BLOCKS, COLLUDING = 3, 1  # what eight clients allow
CLIENTS = (8, 16, 32, 64, 128)
FACTORS = (1, 2, 4, 8)
ROUNDS = 16


def paper_work(clients):
    inputs = FEATURES + clients  # a bias each
    batch = -(-BATCH // BLOCKS)
    threshold = 2 * (BLOCKS + COLLUDING - 1) + 1
    return (inputs * WIDTH * clients * log(clients)**2 + clients * batch * WIDTH * inputs +
            batch * WIDTH * threshold * log(threshold)**2)


def paper_memory(clients, rows):
    return clients * rows / BLOCKS * (FEATURES + clients)


def case(program, clients, rows):
    """ms per round, of several runs; peak bytes; seconds of data sharing. A process of its own."""
    command = [program, rows, FEATURES, CLASSES, "data.name=fashion-mnist",
               f"data.clients={clients}", f"code.K={BLOCKS}", f"code.T={COLLUDING}",
               f"model.width={WIDTH}", f"train.batch_size={BATCH}", *NOBODY_LATE]
    with Conversation(command, environment()) as own:
        own.ask(f"rounds {ROUNDS} 1")
        answers = [own.ask(f"rounds {ROUNDS} 1") for _ in range(4)]
        each = [1000 * answer["cpu_seconds"] / answer["rounds"] for answer in answers]
        return each, answers[-1]["peak_bytes"], own.greeting["setup_seconds"]


def put_case(figures, key, measured):
    each, peak, setup = measured
    figures.put(f"{key}.ms_per_round", min(each), each)
    figures.put(f"{key}.peak_gb", peak / 1e9)
    figures.put(f"{key}.setup_s", setup)


def over_paper(measured, predicted):
    """The largest growth, of all cases over the first, in units of what the paper predicts."""
    return max((m / measured[0]) / (p / predicted[0])
               for m, p in zip(measured[1:], predicted[1:]))


def series(figures, name, program, cases, predictions):
    rounds, memory = [], []
    for label, clients, rows in cases:
        put_case(figures, f"growth.{name}.{label}", case(program, clients, rows))
        rounds.append(figures.get(f"growth.{name}.{label}.ms_per_round"))
        memory.append(figures.get(f"growth.{name}.{label}.peak_gb"))
    work, bytes_held = predictions
    for (label, *_), each_work, each_bytes in zip(cases, work, bytes_held):
        figures.put(f"growth.{name}.{label}.paper_x", each_work / work[0])
        figures.put(f"growth.{name}.{label}.paper_memory_x", each_bytes / bytes_held[0])
    figures.put(f"growth.{name}.over_paper", over_paper(rounds, work))
    figures.put(f"growth.{name}.memory_over_paper", over_paper(memory, bytes_held))


def measure(figures, program):
    say("growth with clients and rows (about 2 minutes)")
    series(figures, "clients", program, [(n, n, ROWS) for n in CLIENTS],
           ([paper_work(n) for n in CLIENTS], [paper_memory(n, ROWS) for n in CLIENTS]))
    rows = [factor * ROWS for factor in FACTORS]
    clients = 28
    series(figures, "rows", program, [(count, clients, count) for count in rows],
           ([paper_work(clients)] * len(rows), [paper_memory(clients, count) for count in rows]))
