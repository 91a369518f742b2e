#!/usr/bin/env python3
"""Zenoh over a Unix socket: a peer owns the value; the writer's query is answered, and each change is put to a key."""
import json
import sys
import time

import peer
import zenoh


def session(role, address):
    configuration = zenoh.Config()
    settings = {"mode": "peer", f"{role}/endpoints": [f"unixsock-stream/{address}"], "scouting/multicast/enabled": False,
                "scouting/gossip/enabled": False}
    for key, value in settings.items():
        configuration.insert_json5(key, json.dumps(value))
    return zenoh.open(configuration)


def serve(address):
    one = session("listen", address)
    changes = one.declare_publisher("hub/value")
    count = 0

    def increment(query):
        nonlocal count
        count += 1
        changes.put(count.to_bytes(8, "little"))
        query.reply("hub/increment", count.to_bytes(8, "little"))
    one.declare_queryable("hub/increment", increment)
    while True:
        time.sleep(1000)


def subscribe(address, subscribers):
    kept = []
    for index in range(subscribers.count):
        one = session("connect", address)
        kept.append((one, one.declare_subscriber("hub/value", lambda sample, index=index: subscribers.received(
            index, int.from_bytes(sample.payload.to_bytes(), "little")))))
    # Nothing acknowledges a subscription.
    time.sleep(1)
    subscribers.subscribed()
    while not subscribers.is_stopped:
        time.sleep(0.01)


def writer(address):
    one = session("connect", address)

    def act(value):
        replies = [int.from_bytes(reply.ok.payload.to_bytes(), "little") for reply in one.get("hub/increment")]
        if replies != [value]:
            raise SystemExit(f"{replies} and not {value}")
    # The queryable must be known.
    time.sleep(0.5)
    return act


if __name__ == "__main__":
    peer.main(sys.modules[__name__])
