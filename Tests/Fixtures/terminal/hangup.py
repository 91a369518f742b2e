"""Runs a hub in the foreground of a terminal, and closes the terminal:

    hangup.py DIRECTORY COMMAND...

The hub listens on DIRECTORY/hub.sock and logs to DIRECTORY/log. Prints its exit status; or `running` if it goes on, and
kills it: it ignores the signal, or its log says that it has reloaded.
"""
import os, pty, signal, sys, time

directory, command = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    log = os.open(directory + "/log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    os.execv(command[0], command)


def ignores(number):
    with open(f"/proc/{child}/status") as status:
        mask = next(line.split()[1] for line in status if line.startswith("SigIgn:"))
    return int(mask, 16) >> (number - 1) & 1 == 1


def ends_within(seconds, unless=lambda: False):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not unless():
        process, status = os.waitpid(child, os.WNOHANG)
        if process:
            print(os.waitstatus_to_exitcode(status))
            sys.exit()
        time.sleep(0.02)


def logged(text):
    with open(directory + "/log") as log:
        return text in log.read()


deadline = time.monotonic() + 120
while not (os.path.exists(directory + "/log") and logged("listening on")) and time.monotonic() < deadline:
    time.sleep(0.02)
is_ignored = ignores(signal.SIGHUP)
# The kernel sends SIGHUP to the processes in the foreground.
os.close(terminal)
if is_ignored:
    ends_within(2)
else:
    ends_within(120, unless=lambda: logged("reloaded: "))
print("running")
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
