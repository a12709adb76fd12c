"""Headless Chromium, driven over its DevTools pipe with Python's standard library alone.

Messages are JSON texts that end with a zero byte: ours go into Chromium's descriptor 3, its answers
and events come out of descriptor 4.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

TIMEOUT = 60  # seconds for any one answer


def program():
    """The browser's path, or None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="fedvs-chromium-")
        to_read, self.out = os.pipe()
        self.answers, to_write = os.pipe()

        def keep_descriptors():
            # Away from 3 and 4 first, lest one dup2 overwrite the other's source.
            reader, writer = os.dup2(to_read, 60), os.dup2(to_write, 61)
            os.dup2(reader, 3)
            os.dup2(writer, 4)

        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--no-first-run", "--disable-extensions", "--hide-scrollbars", "--mute-audio",
                 "--disable-background-networking", "--remote-debugging-pipe",
                 "--force-color-profile=srgb", f"--user-data-dir={self.profile}", "about:blank"]
        self.process = subprocess.Popen([program(), *flags], preexec_fn=keep_descriptors,
                                        close_fds=False, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(20)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _message(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.answers, 1 << 16) if ready else b""
            if not chunk:
                raise RuntimeError("Chromium does not answer")
            self.buffer += chunk
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        """The answer of one DevTools command; events that come meanwhile are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        deadline = time.monotonic() + TIMEOUT
        while True:
            answer = self._message(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, expression):
        """A JavaScript expression's value; a promise's when it is kept."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def settle(self):
        """Waits until what was asked for has been painted."""
        frame = "new Promise(requestAnimationFrame)"
        self.evaluate(f"{frame}.then(() => {frame}).then(() => 0)")

    def open(self, path):
        """Loads a file; the page says when it is ready."""
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        deadline = time.monotonic() + TIMEOUT
        ready = "document.documentElement?.dataset.ready === 'yes'"
        while not self.evaluate(ready):
            if self.complaints() or time.monotonic() > deadline:
                raise RuntimeError(f"{path} does not get ready: {self.complaints()}")
            time.sleep(0.05)
        self.settle()

    def screen(self, width, height, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if phone else 1, mobile=phone)
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)
        self.settle()

    def media(self, kind="", scheme="light"):
        self.call("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def screenshot(self, path, whole=True):
        image = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))

    def pdf(self, path):
        pages = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(pages["data"]))

    def complaints(self):
        """Console errors and warnings, exceptions, and every request that is not for the page."""
        found = []
        for event in self.events:
            method, what = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(what["exceptionDetails"].get("exception", {}).get("description")
                             or what["exceptionDetails"]["text"])
            elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning"):
                found.append(" ".join(str(a.get("value")) for a in what["args"]))
            elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
                found.append(what["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = what["request"]["url"]
                if not url.startswith(("file:", "data:", "blob:", "about:")):
                    found.append(f"fetches {url}")
        return found
