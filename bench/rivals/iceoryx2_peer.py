#!/usr/bin/env python3
"""iceoryx2, shared memory of one machine: a process owns the value; the writer's request is answered, and each change is
published. Nothing in shared memory wakes a process, so events do: one for requests, one for answers, one for changes.
"""
import ctypes
import sys

import iceoryx2
import peer

iceoryx2.set_log_level(iceoryx2.LogLevel.Fatal)
Duration = iceoryx2.Duration
# The publisher of a slow subscriber replaces its oldest values.
BUFFER = 16


class Place:
    """The services of an address."""

    def __init__(self, address):
        self.address = address.replace("/", "_")
        self.node = iceoryx2.NodeBuilder.new().create(iceoryx2.ServiceType.Ipc)

    def service(self, name):
        return self.node.service_builder(iceoryx2.ServiceName.new(f"{self.address}/{name}"))

    def event(self, name):
        return self.service(name).event().max_listeners(256).max_notifiers(256).max_nodes(256).open_or_create()

    def actions(self):
        return self.service("actions").request_response(ctypes.c_uint64, ctypes.c_uint64).max_nodes(256).open_or_create()

    def changes(self):
        return (self.service("changes").publish_subscribe(ctypes.c_uint64).max_subscribers(256).max_nodes(256)
                .subscriber_max_buffer_size(BUFFER).open_or_create())


def serve(address):
    place = Place(address)
    server = place.actions().server_builder().create()
    changes = place.changes().publisher_builder().create()
    requested = place.event("requested").listener_builder().create()
    answered = place.event("answered").notifier_builder().create()
    changed = place.event("changed").notifier_builder().create()
    count = 0
    open(address, "w", encoding="utf-8").close()
    while True:
        requested.blocking_wait()
        while (request := server.receive()) is not None:
            count += 1
            changes.send_copy(ctypes.c_uint64(count))
            request.send_copy(ctypes.c_uint64(count))
            request.delete()
            answered.notify()
            changed.notify()


def subscribe(address, subscribers):
    import threading

    def follow(index, subscriber, changed):
        while not subscribers.is_stopped:
            changed.timed_wait(Duration.from_millis(100))
            while (sample := subscriber.receive()) is not None:
                value = sample.payload().contents.value
                sample.delete()
                subscribers.received(index, value)
    place = Place(address)
    threads = []
    for index in range(subscribers.count):
        subscriber = place.changes().subscriber_builder().create()
        changed = place.event("changed").listener_builder().create()
        threads.append(threading.Thread(target=follow, args=(index, subscriber, changed), daemon=True))
    for thread in threads:
        thread.start()
    subscribers.subscribed()
    for thread in threads:
        thread.join()


def writer(address):
    place = Place(address)
    client = place.actions().client_builder().create()
    requested = place.event("requested").notifier_builder().create()
    answered = place.event("answered").listener_builder().create()
    kept = place

    def act(value, _=kept):
        pending = client.send_copy(ctypes.c_uint64(value))
        requested.notify()
        while (response := pending.receive()) is None:
            answered.blocking_wait()
        if response.payload().contents.value != value:
            raise SystemExit("another value than expected")
        response.delete()
        pending.delete()
    return act


if __name__ == "__main__":
    peer.main(sys.modules[__name__])
