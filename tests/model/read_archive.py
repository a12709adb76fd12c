"""Rebuilds a saved central model from torch.nn and writes what it predicts."""

import pathlib
import sys

import torch
from torch import nn

folder = pathlib.Path(sys.argv[1])
kind = (folder / "kind.txt").read_text()
saved = torch.load(folder / "model.pt")
state = {k.removeprefix("module."): v for k, v in saved.items() if k.startswith("module.")}
hidden1, width = state["linear1.weight"].shape
hidden2 = state["linear2.weight"].shape[0]
outputs = state["linear3.bias"].shape[0]

linear1, linear2 = nn.Linear(width, hidden1), nn.Linear(hidden1, hidden2)
linear3 = nn.Linear(hidden2, outputs)
if kind == "credit":
    linear3 = nn.utils.weight_norm(linear3)
    norm1, norm2 = nn.BatchNorm1d(hidden1), nn.BatchNorm1d(hidden2)
    parts = dict(linear1=linear1, norm1=norm1, linear2=linear2, relu=nn.ReLU(), norm2=norm2,
                 linear3=linear3)
    state["norm1.num_batches_tracked"] = state["norm2.num_batches_tracked"] = torch.tensor(0)
else:
    parts = dict(linear1=linear1, relu1=nn.ReLU(), linear2=linear2, relu2=nn.ReLU(),
                 linear3=linear3)
model = nn.Sequential()
for name, part in parts.items():
    model.add_module(name, part)
model.load_state_dict(state, strict=True)
model.eval()

lines = (folder / "embeddings.txt").read_text().split()
x = torch.tensor([float.fromhex(line) for line in lines]).view(-1, width)
with torch.no_grad():
    out = model(x)
p = torch.softmax(out, 1) if outputs > 1 else torch.cat([1 - out.sigmoid(), out.sigmoid()], 1)
(folder / "probabilities.txt").write_text("\n".join(str(v) for v in p.flatten().tolist()))
