"""The same training in plaintext PyTorch, the strongest way that it has: all clients' local models
fused into one Linear over all columns, in one process, in float32.

    python3 bench/epoch/torch_epoch.py ROWS FEATURES CLASSES DEGREE BATCH CLIENTS WIDTH THREADS

Every line on stdin trains an epoch and prints {"seconds": ..}. OMP_NUM_THREADS, OPENBLAS_NUM_THREADS
and OPENBLAS_CORETYPE are the caller's to set before it starts.
"""
import json
import sys
import time

import torch
from torch import nn

HIDDEN = (256, 128)  # of the presets, as are the rates and the decay
RATES = {"local": 0.005, "central": 0.003}
DECAY = 0.01


class Fused(nn.Module):
    """The sum of all local polynomial networks is one Linear; the embedding is its N-th part."""

    def __init__(self, inputs, width, classes, clients):
        super().__init__()
        self.local = nn.Linear(inputs, width)
        self.central = nn.Sequential(
            nn.Linear(width, HIDDEN[0]), nn.ReLU(),
            nn.Linear(HIDDEN[0], HIDDEN[1]), nn.ReLU(),
            nn.Linear(HIDDEN[1], classes))
        self.clients = clients

    def forward(self, x):
        return self.central(self.local(x) / self.clients)


def features(rows, columns, degree):
    x = (torch.rand(rows, columns) - 0.5) * 12**0.5
    return torch.cat([x**power for power in range(1, degree + 1)], dim=1).contiguous()


def epoch(model, optimizer, x, y, batch, buffer):
    order = torch.randperm(len(x))
    for first in range(0, len(x), batch):
        rows = order[first:first + batch]
        inputs = torch.index_select(x, 0, rows, out=buffer[:len(rows)])
        loss = nn.functional.cross_entropy(model(inputs), y[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def main():
    rows, columns, classes, degree, batch, clients, width, threads = map(int, sys.argv[1:9])
    torch.set_num_threads(threads)
    torch.manual_seed(7)
    x = features(rows, columns, degree)
    y = torch.randint(0, classes, (rows,))
    model = Fused(x.shape[1], width, classes, clients)
    optimizer = torch.optim.AdamW(
        [{"params": model.local.parameters(), "lr": RATES["local"]},
         {"params": model.central.parameters(), "lr": RATES["central"]}], weight_decay=DECAY)
    buffer = torch.empty(batch, x.shape[1])
    print(json.dumps({"torch": torch.__version__}), flush=True)
    for _ in sys.stdin:
        started = time.perf_counter()
        epoch(model, optimizer, x, y, batch, buffer)
        print(json.dumps({"seconds": time.perf_counter() - started}), flush=True)


main()
