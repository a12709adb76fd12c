"""The real program as a server and its clients: keys by the whole dance of `fedvs init`, processes, and
what the server's run folder says of them."""
import json
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

PATIENCE = 600  # seconds: the longest that anything here is waited for


def until(holds, seconds, what):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"after {seconds:.0f} s: {what}")
        time.sleep(.05)


class Parties:
    """`place(who, words)`: the words as a command on that party's host."""

    def __init__(self, program, folder, names, place=lambda who, words: words):
        self.program, self.folder, self.names = os.path.abspath(program), folder, names
        self.place, self.processes = place, {}

    def run(self, *arguments):
        words = [self.program, "--log-level", "error", *map(str, arguments)]
        result = subprocess.run(words, cwd=self.folder, capture_output=True, text=True,
                                timeout=PATIENCE, check=False)
        if result.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {result.stderr.strip()}")
        return result.stdout

    def deploy(self, job, address):
        """Invitations, requests, the roster and its acceptance, as people would send them about."""
        self.write_job(job)
        self.run("init", "job.toml", "--server-address", address, "--client", *self.names,
                 "--dir", "deploy")
        self.each_client(lambda name: self.run("init", "--join", f"deploy/invitations/{name}.invite",
                                               "--dir", name))
        admitted = json.loads(self.run(
            "init", "--json", "--admit", *(f"{name}/{name}.request" for name in self.names),
            "--dir", "deploy/server"))
        self.each_client(lambda name: self.run("init", "--accept", "deploy/server/roster.toml",
                                               "--dir", name, "--fingerprint", admitted["roster"]))

    def deploy_trial(self, job, address):
        """On this machine, in one step."""
        self.write_job(job)
        self.run("init", "job.toml", "--trial", "--server-address", address, "--client",
                 *self.names, "--dir", "deploy")
        for name in self.names:
            os.symlink(f"deploy/{name}", f"{self.folder}/{name}")

    def write_job(self, job):
        with open(f"{self.folder}/job.toml", "w", encoding="utf-8") as file:
            file.write(job)

    def each_client(self, step):
        with ThreadPoolExecutor(os.cpu_count()) as several:
            list(several.map(step, self.names))

    def start(self, who, *words, host=None):
        placed = self.place(host or who, [str(word) for word in words])
        with open(f"{self.folder}/{who}.log", "a", encoding="utf-8") as log:
            self.processes[who] = subprocess.Popen(placed, cwd=self.folder, stdout=log, stderr=log)

    def start_server(self, *more):
        self.start("server", self.program, "server", "--dir", "deploy/server", "--labels",
                   "parties/labels.csv", "--wait", 120, *more)

    def start_client(self, name, *more):
        table = f"parties/client-{self.names.index(name) + 1}.csv"
        self.start(name, self.program, "client", "--dir", name, "--data", table, "--give-up", 120,
                   *more)

    def pids(self):
        return [process.pid for process in self.processes.values()]

    def ended(self, who):
        return self.processes[who].poll() is not None

    def status(self, who, seconds=PATIENCE):
        """Of its exit."""
        return self.processes[who].wait(seconds)

    def log(self, who):
        with open(f"{self.folder}/{who}.log", encoding="utf-8", errors="replace") as log:
            return log.read()

    def events(self):
        """What the server has written down so far; a line that is being written is left out."""
        path = f"{self.folder}/deploy/server/run/events.jsonl"
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines if line.endswith("\n")]

    def rounds(self):
        return [event for event in self.events() if event["event"] == "round"]

    def stop_all(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE)
        self.processes.clear()
