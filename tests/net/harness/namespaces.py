"""Hosts that are none: network namespaces joined by a bridge, each link held to a rate by tc tbf.

The bridge has a namespace of its own, so that nothing of the machine's own network is touched. Names
carry the process id (fedvs-PID-server); what a killed process left behind goes with the next one.
"""
import os
import re
import shutil
import subprocess

BRIDGE_NET = "10.213.7"
TOOLS = ("ip", "tc", "setpriv")


class NotPermitted(Exception):
    """Why this machine or this user cannot have namespaces."""


def command(*words):
    result = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {result.stderr.strip()}")
    return result.stdout


def check_permitted():
    if os.geteuid() != 0:
        raise NotPermitted("network namespaces need root")
    for tool in TOOLS:
        if not shutil.which(tool):
            raise NotPermitted(f"no {tool} here (Debian: iproute2, util-linux)")
    trial = f"fedvs-{os.getpid()}-try"
    try:
        command("ip", "netns", "add", trial)
        command("ip", "-n", trial, "link", "add", "name", "switch", "type", "bridge")
        command("ip", "-n", trial, "link", "add", "name", "left", "type", "veth", "peer", "name",
                "right")
        command("tc", "-n", trial, "qdisc", "add", "dev", "left", "root", "tbf", "rate", "300mbit",
                "burst", "64kb", "latency", "50ms")
    except RuntimeError as failed:
        raise NotPermitted(str(failed)) from failed
    finally:
        delete(trial)


def delete(name):
    subprocess.run(["ip", "netns", "delete", name], capture_output=True, timeout=60, check=False)


def sweep():
    """Removes the namespaces of processes that are gone."""
    for line in command("ip", "netns", "list").splitlines():
        owner = re.match(r"fedvs-(\d+)-", line)
        if owner and not os.path.exists(f"/proc/{owner[1]}"):
            delete(line.split()[0])


class Network:
    """with Network(["server", "c1"], 300) as network: network.namespace("c1")"""

    def __init__(self, hosts, mbits):
        self.hosts, self.mbits = list(hosts), mbits

    def namespace(self, host):
        return f"fedvs-{os.getpid()}-{host}"

    def address(self, host):
        return f"{BRIDGE_NET}.{self.hosts.index(host) + 1}"

    def inside(self, host, words):
        """The words as a command in that host, which dies with this process."""
        return ["setpriv", "--pdeathsig", "KILL", "ip", "netns", "exec", self.namespace(host),
                *words]

    def cut_off(self, host):
        """For good: what is sent is lost, and nobody is told."""
        command("ip", "-n", self.namespace("bridge"), "link", "set", "dev", self._port(host),
                "down")

    def __enter__(self):
        sweep()
        try:
            self._make()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_):
        self._remove()

    def _make(self):
        bridge = self.namespace("bridge")
        command("ip", "netns", "add", bridge)
        command("ip", "-n", bridge, "link", "add", "name", "switch", "type", "bridge")
        command("ip", "-n", bridge, "link", "set", "dev", "switch", "up")
        for host in self.hosts:
            self._plug_in(host, bridge)

    def _plug_in(self, host, bridge):
        space, port = self.namespace(host), self._port(host)
        command("ip", "netns", "add", space)
        command("ip", "-n", bridge, "link", "add", "name", port, "type", "veth", "peer", "name", "eth0",
                "netns", space)
        command("ip", "-n", bridge, "link", "set", "dev", port, "master", "switch", "up")
        command("ip", "-n", space, "address", "add", self.address(host) + "/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            command("ip", "-n", space, "link", "set", "dev", device, "up")
        for where, device in ((bridge, port), (space, "eth0")):  # towards the host, and from it
            command("tc", "-n", where, "qdisc", "add", "dev", device, "root", "tbf", "rate",
                    f"{self.mbits}mbit", "burst", "64kb", "latency", "50ms")

    def _port(self, host):
        return f"p{self.hosts.index(host)}"

    def _remove(self):
        for host in ["bridge", *self.hosts]:
            delete(self.namespace(host))
