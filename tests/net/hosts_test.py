"""FedVS goes on among hosts of which one is far away and one is cut off; waiting for them is what costs.

    hosts_test.py PROGRAM      exits 77 where namespaces are not to be had
"""
import os
import signal
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "harness"))

import namespaces  # noqa: E402: their folder is known only now
import stragglers  # noqa: E402

SKIPPED = 77
ROUNDS_OF_WAITING = 8  # after warm-up; enough for a median, and it is stopped there


def check(claim, holds, seen):
    print(f"{'ok    ' if holds else 'FAILED'}  {claim}: {seen}", flush=True)
    return holds


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    try:
        namespaces.check_permitted()
    except namespaces.NotPermitted as why:
        print(f"skipped: {why}")
        return SKIPPED
    scene = stragglers.Scene(epochs=12)
    reuse = stragglers.run(sys.argv[1], scene, "reuse", cut_after=scene.rounds() // 2)
    waited = stragglers.WARMUP + 1 + ROUNDS_OF_WAITING
    wait = stragglers.run(sys.argv[1], scene, "wait", cut_after=waited, stop_after=waited)
    medians = [statistics.median(stragglers.seconds_each(run.before)) for run in (reuse, wait)]
    passed = [
        check("the run that reuses late models ends by itself", reuse.finished,
              f"{len(reuse.rounds)} rounds"),
        check("it has learnt", reuse.accuracy is not None and reuse.accuracy > reuse.majority,
              f"accuracy {reuse.accuracy}, the largest class {reuse.majority}"),
        check("the client that was cut off is declared dead by name, and no other",
              len(reuse.declared_dead()) == 1 and f"{scene.lost} " in reuse.declared_dead()[0],
              reuse.declared_dead()),
        check("its median round takes less than half of one that waits",
              medians[0] < medians[1] / 2, f"{medians[0]:.3f} s and {medians[1]:.3f} s"),
    ]
    return 0 if all(passed) else 1


sys.exit(main())
