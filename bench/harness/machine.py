"""The machine, the commit, and the environment that makes every peer as fast as it can be."""
import os
import platform
import subprocess


def cpuinfo(key):
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
        for line in lines:
            if line.startswith(key):
                return line.split(":", 1)[1].strip()
    return ""


def cores():
    return len(os.sched_getaffinity(0))


def has_amx():
    return "amx_int8" in cpuinfo("flags").split()


def commit():
    def git(*arguments):
        return subprocess.run(["git", *arguments], capture_output=True, text=True,
                              check=False).stdout.strip()
    return git("rev-parse", "--short", "HEAD") + ("+changes" if git("status", "--porcelain") else "")


def facts():
    with open("/proc/meminfo", encoding="ascii") as lines:
        total = int(lines.readline().split()[1]) * 1024
    return {"cpu": cpuinfo("model name"), "cores": cores(), "memory_gb": round(total / 1e9, 1),
            "amx": has_amx(), "kernels": [], "active_kernel": "",
            "system": platform.platform(terse=True)}


def environment(threads=1):
    """OpenBLAS 0.3.21 takes processors newer than itself for "Prescott". Threads of libgomp wait
    asleep: spinning, two of them on two cores took the peer's epoch from 0.5 s to 2 s."""
    flags = cpuinfo("flags").split()
    core = "SkylakeX" if "avx512bw" in flags else "Haswell" if "avx2" in flags else None
    chosen = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads),
                  OMP_WAIT_POLICY="passive")
    if core:
        chosen.setdefault("OPENBLAS_CORETYPE", core)
    return chosen
