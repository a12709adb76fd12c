"""Saves TorchScript modules of 6 inputs, right and wrong ones."""

import pathlib
import sys

import torch
from torch import nn

folder = pathlib.Path(sys.argv[1])
torch.manual_seed(1)


def save(name, *layers):
    torch.jit.save(torch.jit.script(nn.Sequential(*layers)), str(folder / name))


class Tied(nn.Module):
    """The same square layer used under two names, and one layer that is not trained."""

    def __init__(self):
        super().__init__()
        self.once = nn.Linear(6, 6)
        self.again = self.once
        self.fixed = nn.Linear(6, 6)
        self.last = nn.Linear(6, 3)
        for p in self.fixed.parameters():
            p.requires_grad = False

    def forward(self, x):
        return self.last(torch.tanh(self.fixed(torch.tanh(self.again(torch.tanh(self.once(x)))))))


save("logits.pt", nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1),
     nn.Linear(16, 3))
save("log_probabilities.pt", nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3), nn.LogSoftmax(1))
save("probability.pt", nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
save("one_logit.pt", nn.Linear(6, 1, bias=False))
save("seven.pt", nn.Linear(6, 7))
save("narrow.pt", nn.Linear(5, 3))
save("nothing.pt", nn.ReLU())
save("double.pt", nn.Linear(6, 3).double())
torch.jit.save(torch.jit.script(Tied()), str(folder / "tied.pt"))
(folder / "not_a_module.pt").write_bytes(b"these bytes are no module")
