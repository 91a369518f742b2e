#!/usr/bin/env python3
"""Runs every command of storectl against the hub of Examples/Kitchen, whose feature storectl was not compiled with,
and compares what it prints with Tests/Golden/storectl/kitchen.txt. Times, process ids and similar parts are replaced.

Usage: kitchen.py STORECTL KITCHENHUB [--write]
"""
import difflib
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

storectl, kitchenhub = (os.path.abspath(path) for path in sys.argv[1:3])
golden = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Golden/storectl/kitchen.txt")
folder = tempfile.TemporaryDirectory()
socket, directory = folder.name + "/hub.sock", folder.name + "/state"
environment = dict(os.environ, LC_ALL="C.UTF-8", TZ="UTC", STOREHUB_SOCKET=socket, STOREHUB_STATE_DIR=directory)
text = ""

# A shell ignores it for programs in the background, and so would the programs started here.
signal.signal(signal.SIGINT, signal.default_int_handler)

NAMES = [
    (re.escape(folder.name), "FOLDER"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,3})?Z?", "TIME"),
    (r'("(?:process|user|connection|latencyMicroseconds|slowestMicroseconds|longestTurnMicroseconds|time|turnTimes|since)":)-?\d+', r"\1NUMBER"),
    (r'("userName":)"[^"]*"', r"\1USER"),
    (r"(TIME  )\S+ storectl", r"\1USER storectl"),
    (r"(latency +)[\d.]+ ms", r"\1NUMBER ms"),
    (r"(turns +).*", r"\1NUMBERS"),
    (r'("(?:token|epoch|session|id)":)"?[0-9a-f]{12,}"?', r"\1ID"),
    (r"127\.0\.0\.1:\d+/#[0-9a-f]+", "127.0.0.1:PORT/#TOKEN"),
    (r"(?m)^\d+ +\d+ +\S+ +\d\d:\d\d:\d\d +(\d+) +(storectl)", r"ID  PROCESS  USER  TIME  \1  \2"),
    (r"(?m)^( +\d+ +\d+) +[\d.]+ ms +[\d.]+ ms", r"\1  NUMBER ms  NUMBER ms"),
    (r"(?m)^ID +PROCESS +USER +SINCE +HELD +NAME", "ID  PROCESS  USER  SINCE  HELD  NAME"),
    (r'(?m)^\[\d+\]\n  id: \d+\n  name: "storectl (\w+)"\n  process: \d+\n  user: \d+\n  since: \d+',
     r'[ID]\n  id: ID\n  name: "storectl \1"\n  process: PROCESS\n  user: USER\n  since: TIME'),
    (r'"id":(?:\d+|"[0-9a-f]{8}"),("user":NUMBER,"process":NUMBER,)?"name":"storectl', r'"id":ID,\1"name":"storectl'),
    (r"in use by process \d+", "in use by process PROCESS"),
    (r'"(turns|fileBytes|sessions)":\d+', r'"\1":NUMBER'),
    (r"(?m)^\d+ turns, (\d+ snapshots?), \d+ sessions?, .*", r"NUMBER turns, \1, NUMBER sessions, NUMBER bytes"),
    # How many turns a session takes depends on the time.
    (r'"sessions":\[.*\]\}', '"sessions":[SESSIONS]}'),
    (r'"origin":"[0-9a-f]{8}"', '"origin":ID'),
    (r'"(accepted|sessionsOpened|time_ms|position)":\d+', r'"\1":NUMBER'),
    (r"\d+ opened, 0 resumed", "NUMBER opened, 0 resumed"),
    (r'own state at revision \d+: same [0-9a-f]+', "own state at revision REVISION: same HASH"),
    (r'("root":"hub","path":"",)"revision":\d+,"hash":"[0-9a-f]+","hubHash":"[0-9a-f]+"',
     r'\1"revision":REVISION,"hash":HASH,"hubHash":HASH'),
]


def note(arguments, output, status):
    global text
    quoted = " ".join(word if re.fullmatch(r"[\w./=-]+", word) else f"'{word}'" for word in arguments)
    for pattern, name in NAMES:
        output = re.sub(pattern, name, output)
        quoted = re.sub(pattern, name, quoted)
    if output and not output.endswith("\n"):
        output += "\n"
    text += f"$ storectl {quoted}\n{output}" + (f"[exit status {status}]\n\n" if status else "\n")


def run(*arguments, only=None):
    """A command that ends; with `only`, the lines that contain a text."""
    done = subprocess.run([storectl, *arguments], env=environment, stdin=subprocess.DEVNULL, timeout=240,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = [line for line in done.stdout.splitlines(True) if only is None or only in line]
    note(arguments, "".join(lines), done.returncode)


def both(*arguments):
    """Both forms of the output."""
    run(*arguments)
    run(*arguments, "--json")


def watching(arguments, lines, act):
    """A command that runs until something happens, here when it has printed a number of lines."""
    process = subprocess.Popen([storectl, *arguments], env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    # Its end also ends the reads.
    limit = threading.Timer(240, process.kill)
    limit.start()
    output = "".join(process.stdout.readline() for _ in range(lines))
    act(process)
    output += process.stdout.read()
    status = process.wait()
    if not limit.is_alive():
        sys.exit(f"storectl {shlex.join(arguments)} did not end within 240 s; it printed:\n{output}")
    limit.cancel()
    note(arguments, output, status)


def interrupted(*arguments, lines):
    """A command that runs until it is interrupted."""
    watching(arguments, lines, lambda process: process.send_signal(signal.SIGINT))


def watch_sending(arguments, *action):
    """A watch, and an action that is sent when the first value has been printed."""
    watching(arguments, 1, lambda _: run("send", "--no-wait", *action))


def start(*arguments):
    return subprocess.Popen(arguments, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def wait_for_hub(path=socket):
    for _ in range(2400):
        if subprocess.run([storectl, "-s", path, "-q", "status"], env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0:
            return
        time.sleep(0.1)
    sys.exit("the hub does not listen on " + path)


def stop(process):
    process.terminate()
    try:
        process.wait(240)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit(f"{process.args[0]} did not stop within 240 s of a SIGTERM")


both("status")
hub = start(kitchenhub, "--socket", socket, "--state-dir", directory, "--log-level", "error")
try:
    wait_for_hub()
    both("status")
    both("clients")
    both("schema")
    both("schema", "Order")
    both("schema", "Ordr")
    run("schema", "--hub")
    both("state")
    run("send", "ordered", "soup", "4")
    both("send", "--diff", "ordered", '{"dish": "水 with ice", "table": 12}')
    both("send", "ordered", '["bread", 4]')
    run("send", '{"ordered": {"dish": "tea", "table": 1}}')
    both("send", "ordered", "soup")
    both("send", "ordered", "soup", "four")
    both("send", "orderd", "soup", "4")
    both("send", "cookStarted", "x")
    both("send")
    both("state")
    both("state", "orders")
    both("state", "orders[1].dish")
    both("state", "orders[1].stage")
    both("state", "orders[99]")
    both("state", "order")
    both("state", "orders[soup]")
    both("state", "--hub", "attendees")
    both("watch", "-n", "1", "orders[2]")
    both("watch", "-n", "1", "orders[99]")
    # The hub ends the cooking after two seconds.
    watch_sending(["watch", "--json", "--count", "3", "orders[1].stage"], "cookStarted", "1")
    run("send", "--diff", "waiterServed", "1")
    interrupted("watch", "--json", "--diff", lines=1)
    both("watch", "--count", "none")
    both("verify")
    both("verify", "orders[2]", "served")
    both("log")
    both("log", "--path", "orders[1].stage")
    both("log", "-n", "1", "--uid", "4294967294")
    interrupted("log", "--json", "--follow", "-n", "1", lines=1)
    both("state", "--at", "2")
    both("diff", "2", "now")
    both("diff", "0", "1000000")
    both("blame", "served")
    both("blame", "orders[1]")
    both("bisect", "orders.count > 2")
    both("bisect", "orders[1].stage == ready")
    both("bisect", "served > 5")
    both("bisect", "served >")
    both("top", "--count", "1", "--interval", "50ms")
    run("__complete", "state", "orders[")
    run("__complete", "send", "or")
    run("__complete", "send", "cook")
    run("__complete", "schema", "O")
    run("__complete", "sta")
    interrupted("inspect", lines=1)
    interrupted("inspect", "--json", lines=1)
    both("journal", "verify")
    run("journal", "repair")

    fork_socket, fork_directory = folder.name + "/fork.sock", folder.name + "/fork"
    fork = start(storectl, "fork", "2", "--socket", fork_socket, "--into", fork_directory, "--hub-program", kitchenhub)
    wait_for_hub(fork_socket)
    both("state", "--socket", fork_socket)
    run("send", "--diff", "--socket", fork_socket, "waiterServed", "1")
    stop(fork)
    stop(hub)

    both("state")
    both("log", "-n", "1")
    both("journal", "verify")
    run("journal", "export", only='"actions":[{')
    run("snapshot", "export", folder.name + "/snapshot.json")
    run("snapshot", "import", folder.name + "/snapshot.json", "--state-dir", folder.name + "/imported")
    run("snapshot", "import", folder.name + "/snapshot.json", "--state-dir", folder.name + "/imported")
    both("state", "--at", "now", "--state-dir", folder.name + "/imported")
    run("journal", "repair", "--to", "3")
    both("log", "-n", "1")
    both("journl")
    both("state", "--sockt", "x")
    run("completions", "tcsh")
    run()
finally:
    hub.kill()

if "--write" in sys.argv:
    with open(golden, "w") as file:
        file.write(text)
    sys.exit()
with open(golden) as file:
    expected = file.read()
if text != expected:
    sys.stderr.writelines(difflib.unified_diff(
        expected.splitlines(True), text.splitlines(True), "Tests/Golden/storectl/kitchen.txt", "storectl"))
    sys.exit("storectl no longer prints what Tests/Golden/storectl/kitchen.txt has (--write writes it again)")
