#!/usr/bin/env python3
"""Connects so many times to a hub that does not accept yet, and prints what becomes of the connections.

    crowd.py SOCKET COUNT

Prints `ready` when all have connected; then, at the end of the input, how many were refused and how many are served.
"""
import resource, socket, sys

path, count = sys.argv[1], int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
connections = []
for _ in range(count):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    connections.append(connection)
print("ready", flush=True)
sys.stdin.read()
refused = served = 0
for connection in connections:
    connection.settimeout(0.001 if refused + served > 0 else 5)
    try:
        # An error of the hub's, kind 0x86.
        refused += connection.recv(100)[4:5] == b"\x86"
    except TimeoutError:
        served += 1
print(refused, served, flush=True)
