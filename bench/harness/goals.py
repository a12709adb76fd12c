"""What FedVS wants to reach, and whether it does here."""

NOISE = .05  # of a growth, which is a ratio of two measurements
AMX_ONLY = "no AMX on this machine"


class Goal:
    def __init__(self, key, title, least=None, most=None, needs_amx=False, needs=None):
        self.key, self.title, self.least, self.most = key, title, least, most
        self.needs_amx, self.needs = needs_amx, needs

    def part(self):
        """The part of the benchmark that measures it."""
        first = self.key.split(".")[0]
        return "coding" if first in ("encode", "masks") else first

    def text(self):
        return f">= {self.least:g}" if self.least is not None else f"<= {self.most:g}"

    def verdict(self, value, machine, ceiling=None):
        """`ceiling`: the figure that the bare instruction would have here."""
        if self.needs_amx and not machine["amx"]:
            return AMX_ONLY
        if self.needs and self.needs not in machine["kernels"]:
            return f"no {self.needs} on this machine"
        if value is None:
            return "not measured"
        met = value >= self.least if self.least is not None else value <= self.most
        if not met and ceiling is not None and ceiling < self.least:
            return f"out of reach: the probe itself is at {ceiling:.0f}"
        word = "met" if met else "not met"
        if self.key.endswith(".of_probe") and not machine["amx"]:
            return f"{AMX_ONLY}; {word} on {machine['active_kernel']}"
        return word


IN_CACHE = ("64x784x64", "256x784x64")
LARGE = "512x7532x128"


def product_goals():
    goals = []
    for size in IN_CACHE:
        key, title = f"product.rns4.{size}", f"rns4 product {size}"
        goals += [Goal(f"{key}.x_flint", f"{title}, times FLINT", 350, needs_amx=True),
                  Goal(f"{key}.x_fflas", f"{title}, times FFLAS planes", 30, needs_amx=True),
                  Goal(f"{key}.of_probe", f"{title}, of the probe", .8)]
    goals.append(Goal(f"product.rns4.{LARGE}.x_flint", f"rns4 product {LARGE}, times FLINT", 200,
                      needs_amx=True))
    for size in IN_CACHE:
        for ring, kernel, title, least in (("rns4", "vnni", "VNNI rns4", 60),
                                           ("rns4", "avx2", "AVX2 rns4", 12),
                                           ("m31", "vnni", "AVX-512 m31", 14)):
            goals.append(Goal(f"product.{ring}.{kernel}.{size}.x_flint",
                              f"{title} {size}, times FLINT", least, needs=kernel))
    return goals


GOALS = product_goals() + [
    Goal("encode.rns4.n28k8.x_flint", "encode N=28, K+T=8, times FLINT", 55),
    Goal("encode.rns4.n28k8.of_nt_store", "encode, of the non-temporal store rate", .4),
    Goal("masks.rns4.gb_per_s", "masks with rejection, GB/s per core", 3.3),
    Goal("epoch.fashion-mnist.threads1.x_torch", "Fashion-MNIST epoch / PyTorch, 1 thread", most=2),
    Goal("epoch.fashion-mnist.threads2.x_torch", "Fashion-MNIST epoch / PyTorch, 2 threads",
         most=2),
    Goal("epoch.emnist.threads1.x_torch", "EMNIST epoch / PyTorch, 1 thread", most=2),
    Goal("epoch.emnist.threads2.x_torch", "EMNIST epoch / PyTorch, 2 threads", most=2),
    Goal("growth.clients.over_paper", "round with N, growth over the paper's", most=1 + NOISE),
    Goal("growth.clients.memory_over_paper", "memory with N, growth over the paper's", most=1 + NOISE),
    Goal("growth.rows.over_paper", "round with rows, growth over the paper's", most=1 + NOISE),
    Goal("growth.rows.memory_over_paper", "memory with rows, growth over the paper's", most=1 + NOISE),
    Goal("memory.emnist.peak_gb", "peak memory, EMNIST, 28 clients, GB", most=4),
    Goal("memory.emnist.off_plan", "peak memory, how far `fedvs plan` is off", most=.2),
    Goal("network.relay.512k.x_raw", "relay of 512 KiB parcels, time / plain gRPC's", most=2),
    Goal("network.relay.50k.x_raw", "relay of 50 kB parcels, time / plain gRPC's", most=2),
    Goal("network.relay.7.5k.x_raw", "relay of 7.5 kB parcels, time / plain gRPC's", most=2),
]


def verdicts(figures, machine, parts):
    def verdict(goal):
        ceiling = figures.get(goal.key.replace(".x_flint", ".probe_x_flint"))
        return goal.verdict(figures.get(goal.key), machine,
                            ceiling if goal.key.endswith(".x_flint") else None)
    return {goal.key: {"goal": goal.text(), "value": figures.get(goal.key),
                       "verdict": verdict(goal)} for goal in GOALS if goal.part() in parts}
