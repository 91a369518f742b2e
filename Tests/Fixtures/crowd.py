#!/usr/bin/env python3
"""Connects so many times to a hub that does not accept yet, and prints what becomes of the connections.

    crowd.py SOCKET COUNT

Prints `ready` when all have connected; then, at the end of the input, how many were refused and how many are served: each
of these is answered, so that no time passes for an answer.
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
payload = b"\xa3\x00\x01\x01\x01\x04\x67example"
hello = bytes([len(payload), 0, 0, 0, 1]) + bytes(11) + payload
for connection in connections:
    connection.settimeout(120)
    try:
        connection.sendall(hello)
    except ConnectionError:
        # It was refused, which can still be read.
        pass
    # An error of the hub's is of kind 0x86, and its welcome of kind 0x81.
    kind = connection.recv(100)[4:5]
    refused += kind == b"\x86"
    served += kind == b"\x81"
print(refused, served, flush=True)
