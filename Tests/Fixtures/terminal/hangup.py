"""Runs a hub in the foreground of a terminal, and closes the terminal:

    hangup.py DIRECTORY COMMAND...

The hub listens on DIRECTORY/hub.sock and logs to DIRECTORY/log. Prints its exit status, or `running` if it has not ended
two seconds after it answered a connection again; it is killed then.
"""
import os, pty, signal, socket, sys, time

directory, command = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    log = os.open(directory + "/log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    os.execv(command[0], command)


def connects():
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(directory + "/hub.sock") == 0


def ends_within(seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        process, status = os.waitpid(child, os.WNOHANG)
        if process:
            print(os.waitstatus_to_exitcode(status))
            sys.exit()
        time.sleep(0.02)


def logged(text):
    with open(directory + "/log") as log:
        return text in log.read()


deadline = time.monotonic() + 60
while not (os.path.exists(directory + "/log") and logged("listening on")) and time.monotonic() < deadline:
    time.sleep(0.02)
# The kernel sends SIGHUP to the processes in the foreground.
os.close(terminal)
ends_within(2)
if not connects():
    ends_within(58)
print("running")
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
