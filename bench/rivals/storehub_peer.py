#!/usr/bin/env python3
"""The hub with its Python client, beside the rivals whose clients are in Python."""
import os
import select
import sys

import peer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "clients", "python", "src"))
from storehub import blocking  # noqa: E402


def subscribe(address, subscribers):
    poll, parts = select.epoll(), {}
    for index in range(subscribers.count):
        hub = blocking.connect(address).__enter__()
        part = hub.attach("counter.count")
        parts[hub.fileno()] = (index, hub, part)
        poll.register(hub.fileno(), select.EPOLLIN)
    subscribers.subscribed()
    while not subscribers.is_stopped:
        for descriptor, _ in poll.poll(0.1):
            index, hub, part = parts[descriptor]
            hub.poll()
            subscribers.received(index, part.value)


def writer(address):
    hub = blocking.connect(address).__enter__()
    return lambda _: hub.send({"counter": "incrementButtonTapped"})


if __name__ == "__main__":
    peer.main(sys.modules[__name__])
