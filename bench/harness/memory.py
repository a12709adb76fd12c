"""Peak memory of training, and what `fedvs plan` says beforehand."""
import json
import os
import subprocess
import tempfile
import time

from machine import environment
from process import say

DATA, CLIENTS, BLOCKS = "emnist", 28, 6


def planned_bytes(program):
    rows = json.loads(subprocess.run(
        [program, "plan", "--data", DATA, "--clients", str(CLIENTS), "--set", "train.epochs=1",
         "--json"], check=True, capture_output=True, text=True).stdout)
    return next(row["simulation_memory_bytes"] for row in rows if row["K"] == BLOCKS)


def high_water(pid):
    """VmHWM: resident at most so far, and of this program only."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as lines:
            for line in lines:
                if line.startswith("VmHWM"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def trained(program):
    """Peak bytes and seconds of one epoch from the files to the last evaluation; or None."""
    with tempfile.TemporaryDirectory() as folder:
        started, peak = time.monotonic(), 0
        child = subprocess.Popen(
            [program, "--log-level", "error", "train", "--data", DATA, "--clients", str(CLIENTS),
             "--set", f"code.K={BLOCKS}", "--epochs", "1", "--json", "--out",
             os.path.join(folder, "run")], env=environment(), stdout=subprocess.DEVNULL)
        while child.poll() is None:
            peak = max(peak, high_water(child.pid))
            time.sleep(.05)
        return (peak, time.monotonic() - started) if child.returncode == 0 else None


def measure(figures, program):
    say(f"memory of fedvs train --data {DATA}")
    present = subprocess.run([program, "data", "check", DATA], stdout=subprocess.DEVNULL,
                             check=False).returncode == 0
    result = trained(program) if present else None
    if result is None:
        say(f"  skipped: no {DATA} here (docs/data.md tells where its files go)")
        return
    peak, seconds = result
    planned = planned_bytes(program)
    figures.put(f"memory.{DATA}.peak_gb", peak / 1e9)
    figures.put(f"memory.{DATA}.planned_gb", planned / 1e9)
    figures.put(f"memory.{DATA}.off_plan", abs(planned / peak - 1))
    figures.put(f"memory.{DATA}.train_one_epoch_s", seconds)
