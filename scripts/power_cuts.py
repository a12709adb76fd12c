"""Power cuts: everybody is killed at once and started again (scripts/chaos --power-cuts N).

Measured is the time from the last start, be it the server's or a client's, to the next sum that is
opened. Starting means reading one's file and folder, which takes processors.
"""
import os
import statistics
import time

AIM = 5  # seconds
MOST = 30  # generous: this machine has other work
HANGS = 120


def cut(stage):
    """All at once: nobody has time to hear of another's death."""
    for process in stage.processes.values():
        process.kill()
    for process in stage.processes.values():
        process.wait()


def start_all(stage):
    """In any order; the moment of the last start."""
    parties = ["server", *stage.clients()]
    stage.chance.shuffle(parties)
    for party in parties:
        stage.start(party)
    return time.time(), parties


def wait_for(openings, moment, seconds, stage):
    """The next opening's time; None: there was none in time."""
    while time.time() < moment + seconds and stage.server_ended() is None:
        if (opened := openings.first_after(moment)) is not None:
            return opened
        time.sleep(0.05)
    return openings.first_after(moment)


def processor_seconds(stage):
    """Used by all parties since they were started."""
    ticks = 0
    for process in stage.processes.values():
        with open(f"/proc/{process.pid}/stat") as stat:
            ticks += sum(int(field) for field in stat.read().rsplit(")", 1)[1].split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


def perform(stage, count, openings, wait_for_epoch):
    """Complaints, or none."""
    stage.start("server")
    for client in stage.clients():
        stage.start(client)
    if not wait_for_epoch(stage):
        return ["no epoch within three minutes"]
    took = []
    for i in range(count):
        time.sleep(stage.chance.uniform(1, 5))
        if stage.server_ended() is not None:
            return [f"the server ended with {stage.server_ended()} after {i} cuts; more --epochs?"]
        cut(stage)
        last_start, parties = start_all(stage)
        opened = wait_for(openings, last_start, HANGS, stage)
        if opened is None:
            return [f"nothing for {HANGS} s after cut {i + 1}: the run hangs"]
        took.append(opened - last_start)
        used = processor_seconds(stage)
        stage.say(f"cut {i + 1}: {took[-1]:5.2f} s; the server started as number "
                  f"{parties.index('server') + 1} of {len(parties)}; "
                  f"{used:.1f} s of {os.cpu_count()} processors; load {os.getloadavg()[0]:.1f}")
    print(f"{count} power cuts, from the last start to the next sum: "
          f"median {statistics.median(took):.2f} s, longest {max(took):.2f} s, "
          f"{sum(t > AIM for t in took)} over {AIM} s, which is the aim")
    slow = [t for t in took if t > MOST]
    return [f"{len(slow)} times more than {MOST} s after a power cut"] if slow else []
