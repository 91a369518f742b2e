"""Drives a headless chromium over its debugging pipe, with nothing but the standard library."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ["chromium", "chromium-browser", "google-chrome"]


def program():
    """The browser's path; None if there is none."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Browser:
    """One page of a browser that has its own profile."""

    def __init__(self, width=1280, height=800):
        self.profile = tempfile.mkdtemp(prefix="storehub-browser-")
        (in_read, in_write), (out_read, out_write) = os.pipe(), os.pipe()

        def wire():
            # Above 4, so that one does not overwrite the other.
            read, write = os.dup2(in_read, 10), os.dup2(out_write, 11)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(in_read)
        os.close(out_write)
        self.input, self.output = in_write, out_read
        self.rest, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _message(self, seconds):
        deadline = time.monotonic() + seconds
        while b"\0" not in self.rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.output], [], [], left)[0]:
                return None
            more = os.read(self.output, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.input, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            answer = self._message(60)
            if answer is None:
                break
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)
        raise RuntimeError(f"the browser does not answer {method}")

    def size(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def dark(self, is_dark):
        value = "dark" if is_dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def go(self, url):
        # A link that differs in its fragment alone would not load the page again.
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def text(self, selector):
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.innerText).join('\\n')")

    def wait(self, script, seconds=30):
        """Waits until an expression is true."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if self.run(script):
                    return
            except RuntimeError as error:
                # The page may be on its way to another one.
                if not any(part in str(error).lower() for part in ("context", "navigated", "null")):
                    raise
            if time.monotonic() > deadline:
                raise AssertionError(f"this did not become true: {script}\n{self.run('document.body.innerText')}")
            time.sleep(0.05)

    def wait_text(self, selector, text, seconds=30):
        self.wait(
            f"[...document.querySelectorAll({json.dumps(selector)})].some((one) => "
            f"one.innerText.includes({json.dumps(text)}))", seconds)

    def click(self, selector):
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def key(self, key, shift=False):
        """Presses a key, as a keyboard does."""
        text = key if len(key) == 1 else {"Enter": "\r"}.get(key, "")
        parameters = {"key": key, "modifiers": 8 if shift else 0}
        if text:
            parameters["text"] = text
        if key == "Enter":
            parameters["windowsVirtualKeyCode"] = 13
        self.call("Input.dispatchKeyEvent", type="keyDown", **parameters)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, path):
        import base64
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """What the page or the browser has complained about."""
        self.run("1")
        found = []
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                details = event["params"]["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"] + " " + event["params"]["entry"].get("url", ""))
        return found

    def hosts(self):
        """The hosts from which anything was requested."""
        self.run("1")
        urls = [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]
        return {url.split("/")[2] for url in urls if url.startswith("http")}
