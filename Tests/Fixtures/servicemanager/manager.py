#!/usr/bin/env python3
"""As much of a service manager as the tests need: starts one program, takes its notifications, keeps its descriptors.

    manager.py [--activate PATH] [--metrics PORT] [--watchdog SECONDS] [--store-limit N] [--restart-at STATUS] PROGRAM ARGUMENT...

With --metrics it passes a socket for metrics that listens on a port of 127.0.0.1; 0 prints the free one that it chose.
With --store-limit it keeps at most N descriptors, and silently rejects others, as systemd does. With --restart-at it
restarts the program once, when its status begins with STATUS.

Reads commands from standard input, one a line: `restart` (SIGUSR2, wait, start again with what was stored),
`restart DIRECTORY` (the same, and the directory is removed in between), `signal NUMBER`, `kill` (SIGKILL, wait, start
again), `activate PATH` (pass a socket from the next start on), `program PATH` (start this program from the next start
on, as after an upgrade of its package), `resting` (count the connections at rest in the hub's table whose sockets have
come), `end`. Prints what happens, one event a line, to standard output.
"""
import array, fcntl, os, select, shutil, signal, socket, sys, tempfile


def listen(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(4096)
    return listener


arguments = sys.argv[1:]
activated = metrics = watchdog = store_limit = restart_at = None
while arguments and arguments[0].startswith("--"):
    name, value = arguments.pop(0), arguments.pop(0)
    if name == "--activate":
        activated = listen(value)
    elif name == "--metrics":
        metrics = socket.create_server(("127.0.0.1", int(value)))
        print("metrics", metrics.getsockname()[1], flush=True)
    elif name == "--watchdog":
        watchdog = float(value)
    elif name == "--store-limit":
        store_limit = int(value)
    elif name == "--restart-at":
        restart_at = value

directory = tempfile.mkdtemp()
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(directory + "/notify")
stored = []  # (name, descriptor)
child = None


def say(*words):
    print(*words, flush=True)


def start():
    global child
    passed = [("hub", activated.fileno())] if activated else []
    passed += ([("metrics", metrics.fileno())] if metrics else []) + stored
    child = os.fork()
    if child:
        say("started", child, len(passed))
        return
    # Out of the way of the numbers that they get.
    copies = [os.dup(descriptor) for _, descriptor in passed]
    high = [fcntl.fcntl(copy, fcntl.F_DUPFD, 1000) for copy in copies]
    for index, descriptor in enumerate(high):
        os.dup2(descriptor, 3 + index)
    os.closerange(3 + len(high), 4096)
    os.environ["NOTIFY_SOCKET"] = directory + "/notify"
    if passed:
        os.environ["LISTEN_PID"] = str(os.getpid())
        os.environ["LISTEN_FDS"] = str(len(passed))
        os.environ["LISTEN_FDNAMES"] = ":".join(name for name, _ in passed)
    if store_limit is not None:
        os.environ["FDSTORE"] = str(store_limit)
    if watchdog:
        os.environ["WATCHDOG_USEC"] = str(int(watchdog * 1e6))
        os.environ["WATCHDOG_PID"] = str(os.getpid())
    os.execv(arguments[0], arguments)


def take():
    global stored, restart_at
    text, ancillary, _, _ = notify.recvmsg(65536, socket.CMSG_SPACE(4 * 300))
    descriptors = array.array("i")
    for _, _, data in ancillary:
        descriptors.frombytes(data[: len(data) - len(data) % 4])
    values = dict(line.split("=", 1) for line in text.decode().splitlines())
    name = values.get("FDNAME", "stored")
    if values.get("FDSTORE") == "1" and store_limit is not None and len(stored) + len(descriptors) > store_limit:
        for descriptor in descriptors:
            os.close(descriptor)
        say("rejected", name)
    elif values.get("FDSTORE") == "1":
        stored += [(name, descriptor) for descriptor in descriptors]
        say("stored", name, len(descriptors))
    elif values.get("FDSTOREREMOVE") == "1":
        for kept in [kept for kept in stored if kept[0] == name]:
            stored.remove(kept)
            os.close(kept[1])
            say("removed", name)
    else:
        # A barrier ends when its descriptor is closed.
        for descriptor in descriptors:
            os.close(descriptor)
        if "BARRIER" not in values:
            say("notified", *text.decode().splitlines())
            if restart_at and values.get("STATUS", "").startswith(restart_at):
                restart_at = None
                restart(signal.SIGUSR2)


def encoded(number):
    """An unsigned integer in CBOR."""
    for first, length in ((0x18, 1), (0x19, 2), (0x1A, 4), (0x1B, 8)):
        if number < 24:
            return bytes([number])
        if number < 1 << 8 * length:
            return bytes([first]) + number.to_bytes(length, "big")


def resting():
    """The number of valid records in the newest table whose sockets have come too; see RestingTable.swift.

    The hub writes a record first, and its socket comes with a message. Records contain the inodes of their sockets.
    """
    table = [descriptor for name, descriptor in stored if name == "storehub-idle"][-1]
    size = os.fstat(table).st_size
    slots = [os.pread(table, 1024, start) for start in range(1024, size, 1024)]
    records = [slot[16:] for slot in slots if slot[0] == 0 and slot[4:8] != bytes(4)]
    inodes = [encoded(int(name.rpartition("-")[2])) for name, _ in stored if name.startswith("storehub-idle-")]
    return sum(any(inode in record for inode in inodes) for record in records)


def wait():
    """Takes what comes until the child has ended."""
    global child
    while True:
        while select.select([notify], [], [], 0.01)[0]:
            take()
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            while select.select([notify], [], [], 0)[0]:
                take()
            say("ended", os.waitstatus_to_exitcode(status))
            child = None
            return


def restart(number, removed=()):
    """Ends the child with a signal, removes directories, and starts it again with what was stored."""
    if child:
        os.kill(child, number)
        wait()
    for path in removed:
        shutil.rmtree(path)
    say("kept", len(stored))
    start()


def commands():
    """The commands that have come; `end` at the end of the input."""
    text = os.read(0, 4096).decode()
    return [line.split() for line in text.splitlines() if line] or [["end"]]


start()
while True:
    ready = select.select([notify, 0], [], [], 0.05)[0]
    if notify in ready:
        take()
    if child and os.waitpid(child, os.WNOHANG)[0]:
        # What it has sent before its end.
        while select.select([notify], [], [], 0)[0]:
            take()
        say("ended")
        child = None
    for words in commands() if 0 in ready else []:
        if words[0] == "end":
            if child:
                os.kill(child, signal.SIGTERM)
                wait()
            os.unlink(directory + "/notify")
            os.rmdir(directory)
            sys.exit()
        elif words[0] == "activate":
            activated = listen(words[1])
        elif words[0] == "program":
            arguments[0] = words[1]
        elif words[0] == "resting":
            say("resting", resting())
        elif words[0] == "signal":
            os.kill(child, int(words[1]))
        elif words[0] in ("restart", "kill"):
            restart(signal.SIGUSR2 if words[0] == "restart" else signal.SIGKILL, words[1:])
