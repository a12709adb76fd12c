"""What a reader wants to see: every goal beside its figure, then the figures behind them."""
from goals import GOALS, IN_CACHE, LARGE
import growth


def number(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(title, head, rows):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    def line(row):
        return "  ".join(str(cell).ljust(width) if i == 0 else str(cell).rjust(width)
                         for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
    return "\n".join(["", title, line(head), "  ".join("-" * width for width in widths),
                      *map(line, rows)])


def header(machine, commit):
    text = f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB"
    if machine["kernels"]:
        text += f"; kernels {' '.join(machine['kernels'])}, active {machine['active_kernel']}"
    return f"{text}; commit {commit}"


def spread(figures, key):
    values = figures.spreads.get(key)
    return " / ".join(map(number, values)) if values else ""


def goals(figures, verdicts):
    rows = [(goal.title, number(figures.get(goal.key)), goal.text(), verdicts[goal.key]["verdict"],
             spread(figures, goal.key)) for goal in GOALS if goal.key in verdicts]
    return table("Goals", ("", "here", "goal", "", "min / median / max"), rows)


def products(figures, machine):
    rows = []
    for ring in ("rns4", "m31"):
        for kernel in reversed(machine["kernels"]):
            for size in (*IN_CACHE, "256x1568x64", LARGE):
                key = f"product.{ring}.{kernel}.{size}"
                rows.append((f"{ring} {kernel} {size}", number(figures.get(f"{key}.gmac_per_s")),
                             number(figures.get(f"{key}.x_flint")),
                             number(figures.get(f"{key}.x_fflas")),
                             number(figures.get(f"{key}.of_probe")),
                             number(figures.get(f"{key}.probe_x_flint")),
                             spread(figures, f"{key}.x_flint")))
    return table("The product, one thread (probe: the peak of the kernel's instruction; where even "
                 "that is below a goal, the machine cannot reach it)",
                 ("", "GMAC/s", "x FLINT", "x FFLAS", "of probe", "probe x FLINT",
                  "x FLINT min / median / max"), rows)


def probes(figures, machine):
    rows = []
    for ring in ("rns4", "m31"):
        for kernel in reversed(machine["kernels"]):
            key = f"probe.{ring}.{kernel}.gmac_per_s"
            if figures.get(key) is not None:
                low, _, high = figures.spreads[key]
                rows.append((f"{ring} {kernel}", number(figures.get(key)), spread(figures, key),
                             "slowed down for part of the run" if low < high / 2 else ""))
    return table("The probes", ("", "GMAC/s", "min / median / max", ""), rows)


def coding(figures):
    rows = []
    for key in ("encode.rns4.n28k8", "encode.m31.n28k8", "decode.rns4.k7r15", "decode.m31.k7r15",
                "masks.rns4", "masks.m31", "store.nt"):
        rows.append((key, number(figures.get(f"{key}.gb_per_s")),
                     number(figures.get(f"{key}.x_flint")),
                     number(figures.get(f"{key}.of_nt_store")), spread(figures, f"{key}.gb_per_s")))
    return table("Sharing, opening and masks, one thread",
                 ("", "GB/s", "x FLINT", "of NT store", "GB/s min / median / max"), rows)


def epochs(figures):
    rows = []
    for name in ("fashion-mnist", "emnist"):
        for threads in (1, 2):
            key = f"epoch.{name}.threads{threads}"
            rows.append((f"{name}, {threads} thread{'s' * (threads > 1)}",
                         number(figures.get(f"{key}.s")), number(figures.get(f"{key}.torch_s")),
                         number(figures.get(f"{key}.x_torch")), spread(figures, f"{key}.x_torch"),
                         number(figures.get(f"epoch.{name}.as_trained.threads{threads}.s"))))
        rows.append((f"{name}, each at its best", "", "",
                     number(figures.get(f"epoch.{name}.best.x_torch")), "", ""))
    return table("One epoch, 28 clients, K = 6, T = 1, h = 64: all parties' work in one process, and "
                 "plaintext PyTorch (seconds)",
                 ("", "FedVS", "PyTorch", "ratio", "min / median / max", "as trained"), rows)


def grown(figures, name, labels, title):
    rows = []
    first = f"growth.{name}.{labels[0]}"
    for label in labels:
        key = f"growth.{name}.{label}"
        if figures.get(f"{key}.ms_per_round") is None:
            continue
        rows.append((label, number(figures.get(f"{key}.ms_per_round")),
                     number(figures.get(f"{key}.ms_per_round") /
                            figures.get(f"{first}.ms_per_round")),
                     number(figures.get(f"{key}.paper_x")),
                     number(figures.get(f"{key}.peak_gb")),
                     number(figures.get(f"{key}.peak_gb") / figures.get(f"{first}.peak_gb")),
                     number(figures.get(f"{key}.paper_memory_x")),
                     number(figures.get(f"{key}.setup_s"))))
    return table(title, (name, "ms/round", "grows by", "paper", "peak GB", "grows by", "paper",
                         "sharing s"), rows)


def growths(figures):
    return (grown(figures, "clients", growth.CLIENTS,
                  "Growth with clients: 12,000 rows x 784 columns, K = 3, T = 1, all parties, one "
                  "thread") +
            "\n" + grown(figures, "rows", [factor * growth.ROWS for factor in growth.FACTORS],
                         "Growth with rows: 28 clients, K = 3, T = 1"))


def networks(figures):
    def get(key):
        return figures.get(f"network.{key}")

    relays = [(f"parcels of {size}", number(get(f"relay.{size}.mb_per_s")),
               number(get(f"relay.{size}.raw_mb_per_s")), number(get(f"relay.{size}.x_raw")))
              for size in ("512k", "50k", "7.5k")]
    text = table("From a client through the server to another, on loopback, and plain gRPC over two hops "
                 "(MB/s)", ("", "relay", "plain gRPC", "time, ratio"), relays)
    if get("run.rounds_per_s") is None:
        return text
    rows = [(title, *(number(get(f"{run}.{what}") / unit) for run in ("run", "simulator")),
             number(get(f"{what}.x_simulator")))
            for title, what, unit in (("rounds per second", "rounds_per_s", 1),
                                      ("processor ms per round, all parties", "cpu_ms_per_round", 1),
                                      ("kB per client and round", "bytes_per_round", 1e3))]
    rows.append(("MB per client to share the rows", number(get("run.bytes_before_round_2") / 1e6), "-",
                 "-"))
    return text + "\n" + table(
        f"Fashion-MNIST, 28 clients, K = 6, T = 1: 29 processes on loopback, and the simulator (one "
        f"process); load average before {number(get('load_before'))}",
        ("", "network", "simulator", "ratio"), rows)
