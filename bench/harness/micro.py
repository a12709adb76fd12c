"""The programs of Google Benchmark: interleaved at random, read back, turned into ratios."""
import json
import subprocess
from collections import defaultdict

from machine import environment
from process import say

PEERS = ("flint", "fflas")
REPETITIONS = 9


def run(program, out, min_time=.05):
    """name -> rates per second, one of each repetition; and the context of the run."""
    subprocess.run([program, "--benchmark_enable_random_interleaving=true",
                    f"--benchmark_repetitions={REPETITIONS}", f"--benchmark_min_time={min_time}",
                    f"--benchmark_out={out}", "--benchmark_out_format=json"],
                   check=True, env=environment(), stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    with open(out, encoding="utf-8") as text:
        report = json.load(text)
    rates = defaultdict(list)
    for entry in report["benchmarks"]:
        if entry.get("run_type") != "aggregate":
            rates[entry["name"]].append(entry["per_second"])
    return rates, report["context"]


def products(figures, program, out):
    """Returns the kernels of this machine."""
    say("the product: every kernel, FLINT, FFLAS-FFPACK, the probes (about 2 minutes)")
    rates, context = run(program, out)
    for name, own in rates.items():
        kind, ring, *rest = name.split("/")
        key = name.replace("/", ".")
        figures.put_rates(f"{key}.gmac_per_s", own)
        if kind == "probe" or ring in PEERS:
            continue
        kernel, size = rest
        keys = [key] + ([f"product.{ring}.{size}"] if kernel == context["active_kernel"] else [])
        for each in keys:
            compare_product(figures, each, own, rates, (ring, kernel, size))
    return {"kernels": context["kernels"].split(), "active_kernel": context["active_kernel"]}


def compare_product(figures, key, own, rates, what):
    ring, kernel, size = what
    figures.put_rates(f"{key}.gmac_per_s", own)
    for peer in PEERS if ring == "rns4" else PEERS[:1]:
        figures.compare_rates(f"{key}.x_{peer}", own, rates[f"product/{peer}/{size}"])
    probe = rates.get(f"probe/{ring}/{kernel}")
    if probe:
        figures.compare_rates(f"{key}.of_probe", own, probe)
        figures.put(f"{key}.probe_x_flint", max(probe) / max(rates[f"product/flint/{size}"]))


def coding(figures, program, out):
    say("sharing, opening and masks: FLINT, the store rate (about 1 minute)")
    rates, _ = run(program, out)
    for name, own in rates.items():
        kind, ring, *_ = name.split("/")
        key = name.replace("/", ".")
        figures.put_rates(f"{key}.gb_per_s", own)
        if kind in ("encode", "decode") and ring not in PEERS:
            figures.compare_rates(f"{key}.x_flint", own, rates[name.replace(ring, "flint")])
        if kind == "encode" and ring not in PEERS:
            figures.compare_rates(f"{key}.of_nt_store", own, rates["store/nt"])
