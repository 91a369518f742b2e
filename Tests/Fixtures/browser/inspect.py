#!/usr/bin/env python3
"""Uses the inspector's page as a person would: inspect.py PROGRAMS [PICTURES]

Starts a hub and an inspector of its own. With a folder PICTURES, writes screenshots there, for docs/INSPECTOR.md.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time

from browser import Browser

PROGRAMS = sys.argv[1]
PICTURES = sys.argv[2] if len(sys.argv) > 2 else None


class Machine:
    """A hub, and an inspector of it."""

    def __init__(self, directory):
        self.directory = directory
        self.socket = directory + "/hub.sock"
        self.state = directory + "/state"
        self.log = None
        self.start_hub()
        self.inspector = None

    def start_hub(self, *options):
        options = options or ("--state-dir", self.state)
        self.hub = subprocess.Popen(
            [PROGRAMS + "/storehubd", "--socket", self.socket, "--log-level", "error", *options])
        self.until(lambda: subprocess.run(
            [PROGRAMS + "/storectl", "-q", "--socket", self.socket, "status"], stdout=subprocess.DEVNULL).returncode == 0)

    def stop_hub(self):
        self.hub.send_signal(signal.SIGTERM)
        self.hub.wait()

    def start_inspector(self, *options):
        self.log = tempfile.mktemp(dir=self.directory)
        with open(self.log, "wb") as log:
            self.inspector = subprocess.Popen(
                [PROGRAMS + "/storectl", "--socket", self.socket, "inspect", *options], stdout=log, stderr=log)
        self.until(lambda: self.links())

    def links(self):
        with open(self.log) as file:
            return [word for word in file.read().split() if "/#" in word]

    def send(self, *words):
        subprocess.run([PROGRAMS + "/storectl", "--socket", self.socket, "send", *words], check=True)

    @staticmethod
    def until(condition):
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, "it took too long"
            time.sleep(0.05)

    def close(self):
        for process in [self.inspector, self.hub]:
            if process and process.poll() is None:
                process.terminate()
                process.wait()


def picture(browser, name):
    if PICTURES:
        time.sleep(1.5)  # Until the rows that changed are plain again.
        browser.picture(f"{PICTURES}/{name}.png")


def main(machine):
    for text in ["oat milk", "rye bread", "call the plumber", "<img src=x onerror=alert(1)>", "crème brûlée"]:
        machine.send("todos.addButtonTapped", text)
    machine.send("todos.todos[1].completionChanged", "true")
    for _ in range(3):
        machine.send("favourites.view.favouriteButtonTapped")
        machine.send("favourites.view.incrementButtonTapped")
    machine.send("counter.incrementButtonTapped")
    time.sleep(1.2)  # The feature sorts completed todos after a second.
    machine.start_inspector("--state-dir", machine.state)
    with Browser(1200, 720) as page:
        page.dark(False)
        page.go(machine.links()[0])
        page.wait_text("#status", "live")
        page.wait_text("#tree", "counter:")
        assert page.run("location.href.includes('#')") is False, "the token stays in the address"

        # By the keyboard to an element, which is text and not markup.
        page.key("/")
        page.type("todos.todos[3].text")
        page.key("Enter")
        page.wait_text("#tree .row:focus", "onerror")
        assert page.run("document.querySelector('img')") is None
        # Live.
        machine.send("todos.todos[3].textChanged", "buy stamps")
        page.wait_text("#tree", '"buy stamps"')
        page.wait_text("#turns", "todos.todos[3].textChanged")
        picture(page, "inspector")

        # An action, what it changed, and the state then.
        page.run("[...document.querySelectorAll('.turn')].find((one) => one.innerText.includes('completionChanged')).click()")
        page.wait_text("#when", "revision 6,")
        page.wait_text("#tree .was-changed", "[1]")
        # The focused row stands elsewhere at that revision, and keeps the focus.
        page.wait_text("#tree .row:focus", "onerror")
        page.dark(True)
        picture(page, "inspector-past")
        page.dark(False)
        page.key("2")
        page.wait_text("#panel-change", "todos.todos[1].isComplete: false → true")
        page.key("[")
        page.wait_text("#when", "revision 5,")
        page.key("]")
        page.wait_text("#when", "revision 6,")
        # Compared with a mark.
        page.key("m")
        page.key("]")
        page.wait_text("#when", "revision 7,")
        page.key("]")
        page.wait_text("#panel-change", "From revision 6 to 8")
        page.key("m")
        # The slider, with the state of its moment.
        page.key("1")
        page.run("(() => { const one = document.querySelector('#slider'); one.value = 2;"
                 " one.dispatchEvent(new Event('input')); })()")
        page.wait_text("#when", "revision 2,")
        page.wait("![...document.querySelectorAll('#tree .row')].some((one) => one.innerText.includes('plumber'))")
        page.key("l")
        page.wait_text("#when", "now")
        page.wait_text("#tree", "plumber")
        # A request that fails does not prevent later ones.
        page.run("window.realFetch = window.fetch; window.fetch = (path, how) =>"
                 " path.startsWith('/api/turn?') ? Promise.reject(new TypeError('cut')) : window.realFetch(path, how)")
        page.key("[")
        page.run("window.fetch = window.realFetch")
        page.key("[")
        page.wait_text("#when", "revision")
        page.key("l")
        page.wait_text("#when", "now")

        # A filter, the other views, the help.
        page.key("f")
        page.type("favourite")
        page.wait("document.querySelectorAll('.turn').length === 6")
        # Escape shows all actions again.
        page.key("Escape")
        page.wait("document.querySelectorAll('.turn').length > 6")
        assert page.run("document.querySelector('#filter').value") == ""
        # A word with a minus sign excludes actions; the arrow and Enter go to the list, and Escape there ends the filter.
        page.key("f")
        page.type("favourite -increment")
        page.wait("document.querySelectorAll('.turn').length === 3")
        page.key("ArrowDown")
        page.wait("document.activeElement.id === 'turns'")
        page.wait("document.querySelector('.turn').getAttribute('aria-selected') === 'true'")
        page.key("ArrowDown")
        page.wait("document.querySelectorAll('.turn')[1].getAttribute('aria-selected') === 'true'")
        page.key("ArrowUp")
        page.wait("document.querySelector('.turn').getAttribute('aria-selected') === 'true'")
        page.key("ArrowUp")
        page.wait("document.activeElement.id === 'filter'")
        page.key("Enter")
        page.wait("document.activeElement.id === 'turns'")
        page.key("Escape")
        page.wait("document.querySelectorAll('.turn').length > 6")
        # Enter does not wait for the pause after the last letter.
        page.key("f")
        page.type("plumber")
        page.key("Enter")
        page.wait("document.activeElement.id === 'turns' && document.querySelectorAll('.turn').length === 1")
        page.wait_text("#when", "revision 3,")
        page.key("Escape")
        page.key("l")
        page.wait_text("#when", "now")
        page.key("3")
        page.wait_text("#panel-clients", "storectl inspect")
        # The page subscribes to the whole state itself, and to the lists of clients and metrics.
        page.wait_text("#panel-clients tr:nth-child(2)", "the clients, the metrics, the whole state")
        for _ in range(8 if PICTURES else 1):
            for _ in range(3):
                machine.send("counter.incrementButtonTapped")
            time.sleep(0.7)
        page.key("4")
        page.wait_text("#panel-metrics", "actions per second")
        page.wait("document.querySelectorAll('#panel-metrics .chart polyline').length === 3")
        page.wait("document.querySelectorAll('#panel-metrics td polyline').length > 10")
        page.wait_text("#panel-metrics", "durability: sync")
        # Units in place of raw numbers, and rates of the counters.
        page.wait(r"/state, encoded\s+[0-9.]+ (B|KiB)\s/.test(document.querySelector('#panel-metrics').innerText)")
        page.wait(r"/actions that have taken effect\s+[0-9,]+\s+[0-9.]+\/s/.test("
                  "document.querySelector('#panel-metrics').innerText)")
        page.wait(r"/half below [0-9.]+ (µs|ms)/.test(document.querySelector('.histogram').innerText)")
        assert "NaN" not in page.text("#panel-metrics") and "undefined" not in page.text("#panel-metrics")
        picture(page, "inspector-metrics")
        page.key("5")
        page.wait_text("#panel-schema", "enum Counter.Action")
        page.key("1")
        page.key("?")
        page.wait("document.querySelector('#help').open")
        page.key("Escape")
        page.run("document.querySelector('#help').close()")

        # A list of which only a page is sent.
        subprocess.run(
            [PROGRAMS + "/storeload", "--socket", machine.socket, "--workload", "add", "--actions", "1200"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        page.wait_text(".pager .range", "of 1,205")
        assert page.run("document.querySelectorAll('#tree .row').length") < 140
        page.run("document.querySelector('.pager [data-turn=last]').click()")
        page.wait_text(".pager .range", "1,200 – 1,204 of 1,205")

        # A filter searches on until it has found something, also beyond the turns of one request.
        subprocess.run(
            [PROGRAMS + "/storeload", "--socket", machine.socket, "--actions", "12000", "--depth", "1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        page.run("(() => { const one = document.querySelector('#filter'); one.value = 'plumber';"
                 " one.dispatchEvent(new Event('input')); })()")
        # New actions do not restart the search. A debug build on a busy machine reads few turns in a second.
        deadline = time.monotonic() + 150
        while '"call the plumber"' not in page.text("#turns"):
            assert time.monotonic() < deadline, "the filter has found nothing"
            machine.send("counter.incrementButtonTapped")
        page.run("(() => { const one = document.querySelector('#filter'); one.value = '';"
                 " one.dispatchEvent(new Event('input')); })()")

        # A reload keeps the session; the hub goes and comes back.
        page.call("Page.reload")
        page.wait_text("#status", "live")
        machine.stop_hub()
        page.wait_text("#banner", "The hub is away")
        page.wait_text("#tree", "counter:")
        machine.start_hub()
        page.wait_text("#status", "live")
        page.wait("document.querySelector('#banner').hidden")
        machine.send("counter.incrementButtonTapped")
        page.wait_text("#turns .turn:first-child", "counter.incrementButtonTapped")

        # Narrow, and the link a second time.
        page.size(420, 700)
        page.wait("document.body.scrollWidth <= 420")
        # A long view scrolls, and does not reach over the time line.
        page.key("5")
        page.wait_text("#panel-schema", "enum Counter.Action")
        page.wait("document.querySelector('#panel-schema').getBoundingClientRect().bottom"
                  " <= document.querySelector('#timeline').getBoundingClientRect().top + 1")
        page.key("1")
        page.size(1200, 720)
        complaints = page.complaints()
        assert not complaints, complaints
        hosts = page.hosts()
        assert hosts == {machine.links()[0].split("/")[2]}, hosts
        machine.inspector.send_signal(signal.SIGINT)
        assert machine.inspector.wait(60) == 130
        page.wait_text("#banner", "has ended")
    # A hub without a journal.
    machine.stop_hub()
    machine.start_hub("--durability", "memory")
    machine.start_inspector()
    with Browser(900, 600) as page:
        link = machine.links()[0]
        page.go(link)
        page.wait_text("#tree", "counter:")
        page.wait_text("#log-note", "since the page was opened")
        machine.send("counter.incrementButtonTapped")
        page.wait_text("#turns", "counter.count")
        # The link is used: another tab with it sees nothing.
        page.run("sessionStorage.clear()")
        page.go(link)
        page.wait_text("#banner", "used already")
        assert page.run("document.querySelectorAll('.row').length") == 0
        # A page of another site cannot open this one; the same address, typed, works.
        address = link.split("#")[0]
        page.go(f"data:text/html,<a id=link href='{address}'>open</a>")
        page.wait("document.querySelector('#link') !== null")
        page.click("#link")
        page.wait_text("body", "not served to pages of other sites")
        page.go(address)
        page.wait_text("#banner", "open the link that storectl inspect has printed")


with tempfile.TemporaryDirectory(prefix="storehub-inspect-") as directory:
    machine = Machine(directory)
    try:
        main(machine)
    finally:
        machine.close()
