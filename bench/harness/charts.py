"""Growth, measured and predicted, as one picture."""
import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402: the backend comes first

import growth  # noqa: E402

plt.rcParams["svg.hashsalt"] = "fedvs"  # the same figures give the same file


def panel(axes, figures, name, labels, what):
    measure, predicted, title = what
    values = [figures.get(f"growth.{name}.{label}.{measure}") for label in labels]
    paper = [values[0] * figures.get(f"growth.{name}.{label}.{predicted}") for label in labels]
    axes.plot(labels, paper, "--", color="0.6", label="as the paper's complexity grows")
    axes.plot(labels, values, "o-", color="tab:blue", label="measured")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(labels, [str(label) for label in labels])
    axes.set_xlabel(name)
    axes.set_title(title)
    axes.grid(True, which="major", color="0.9")


def draw(figures, path):
    figure, grid = plt.subplots(2, 2, figsize=(9, 6.5))
    rows = [factor * growth.ROWS for factor in growth.FACTORS]
    for line, (name, labels) in zip(grid, (("clients", growth.CLIENTS), ("rows", rows))):
        panel(line[0], figures, name, labels, ("ms_per_round", "paper_x", "ms per round"))
        panel(line[1], figures, name, labels, ("peak_gb", "paper_memory_x", "peak memory, GB"))
    grid[0][0].legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
