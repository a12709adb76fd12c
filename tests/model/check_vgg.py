"""Fails unless VGG13 from torch.nn predicts and takes one SGD step of rate 4 as the saved one."""

import pathlib
import sys

import torch
from torch import nn

folder = pathlib.Path(sys.argv[1])
torch.set_num_threads(1)


def module_state(name):
    saved = torch.load(folder / name)
    return {k.removeprefix("module."): v for k, v in saved.items() if k.startswith("module.")}


def numbers(name):
    return torch.tensor([float.fromhex(v) for v in (folder / name).read_text().split()])


def near(what, ours, expected):
    """To 1e-4 of the largest: sums are in another order, and the depth of the net amplifies."""
    off = (ours - expected).abs().max().item() / expected.abs().max().item()
    if not off < 1e-4:
        sys.exit(f"{what} differs by {off} of its largest value")


def middle(kernel):
    return kernel[:, :, 1:2, 1:2]


def build(classes):
    layers, inputs = [], 1
    for outputs in 64, 128, 256, 512, 512:
        for channels in inputs, outputs:
            layers += [nn.Conv2d(channels, outputs, 3, padding=1, bias=False),
                       nn.BatchNorm2d(outputs), nn.ReLU()]
        layers.append(nn.MaxPool2d(2, ceil_mode=True))
        inputs = outputs
    model = nn.Sequential()
    model.add_module("features", nn.Sequential(*layers))
    model.add_module("flatten", nn.Flatten())
    model.add_module("classifier", nn.Linear(512, classes))
    return model


before, after = module_state("before.pt"), module_state("after.pt")
model = build(before["classifier.bias"].shape[0])
state = {}
for name, value in model.state_dict().items():
    if name.endswith("num_batches_tracked"):
        state[name] = value
    elif value.dim() == 4 and before[name].shape[2] == 1:  # only the middle was kept
        state[name] = nn.functional.pad(before[name], (1, 1, 1, 1))
    else:
        state[name] = before[name]
model.load_state_dict(state)

x = numbers("embeddings.txt").view(-1, 1, 8, 8).requires_grad_()
y = torch.tensor([int(v) for v in (folder / "labels.txt").read_text().split()])
model.eval()
near("probability", numbers("probabilities.txt"), torch.softmax(model(x), 1).detach().flatten())

model.train()
loss = nn.functional.cross_entropy(model(x), y)
loss.backward()
near("loss", numbers("loss.txt"), loss.detach())
near("gradient", numbers("gradient.txt"), x.grad.flatten())
for name, parameter in model.named_parameters():
    gradient = parameter.grad
    if gradient.dim() == 4 and before[name].shape[2] == 1:
        gradient = middle(gradient)
    near("step of " + name, (before[name] - after[name]) / 4, gradient)
for name, buffer in model.named_buffers():
    if not name.endswith("num_batches_tracked"):
        near(name, after[name], buffer)
