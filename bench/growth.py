#!/usr/bin/env python3
"""How the hub's cost grows over sockets: with clients, scopes and the size of payloads; with memory for each of them.

Prints tables in Markdown and draws charts. An open loop keeps the rate the same in every column, so the columns
differ in nothing else. The figures are the hub's CPU time per action and the p99 from the intended time of sending.
Growth with the length of a list is measured by lists.py, with the number of composed reducers by storebench.
"""
import argparse
import os
import statistics

from servers import Server, TemporaryDirectory, raise_descriptor_limit
from storeload import chart, storeload

PARTS = ["clients", "active", "scopes", "payload", "windows", "features", "memory"]


class Growth:
    def __init__(self, options, directory):
        self.options, self.directory, self.count = options, directory, 0

    def hub(self):
        self.count += 1
        path = f"{self.directory}/{self.count}.sock"
        return Server([f"{self.options.programs}/storehubd", "--socket", path, "--log-level", "error",
                       "--connections", "12000"], path)

    def runs(self, columns, arguments):
        """For each column the results of all runs; each run has a hub of its own, and the order alternates."""
        results = {column: [] for column in columns}
        for run in range(self.options.runs):
            for column in columns if run % 2 == 0 else reversed(columns):
                with self.hub() as server:
                    results[column].append(
                        storeload(self.options.programs, server, "--duration", f"{round(self.options.seconds * 1000)}ms",
                                  "--warmup", "500ms", "--timeout", "60s", "--alone", *arguments(column)))
        return results

    def table(self, name, label, results, title, extra=None):
        print(f"\n| {label} | hub CPU µs/action, median (min – max) | ÷ the first | latency p50 µs | p99 µs |"
              + (" freshness p99 µs |" if extra else "") + "\n|--:|--:|--:|--:|--:|" + ("--:|" if extra else ""))
        first, points = None, []
        for column, rows in results.items():
            costs = [row["hubMicrosecondsPerAction"] for row in rows]
            cost = statistics.median(costs)
            first = first or cost
            points.append((column, cost * 1e3))

            def figure(group, part):
                return statistics.median(row.get(group, {}).get(part, 0) for row in rows)
            place = f"{column:,}" if isinstance(column, int) else column
            row = (f"| {place} | {cost:.2f} ({min(costs):.2f} – {max(costs):.2f}) | {cost / first:.2f} | "
                   f"{figure('latencyMicroseconds', 'p50'):.0f} | {figure('latencyMicroseconds', 'p99'):.0f} |")
            print(row + (f" {figure('freshnessMicroseconds', 'p99'):.0f} |" if extra else ""), flush=True)
        if self.options.charts and name:
            chart(self.options.programs, f"{self.options.charts}/{name}.svg", title, (label, "number", True),
                  ("CPU time of the hub per action", "time", False), [("hub", points)])

    def clients(self):
        columns = [count for count in (1, 10, 100, 1_000, 10_000) if count <= self.options.most]
        results = self.runs(columns, lambda count: ("-c", count, "--rate", self.options.rate, "--arrival", "poisson"))
        self.table("clients", "clients", results, "Cost of an action with many clients, the same rate in all")

    def active(self):
        """As many clients as may be attached, a tenth of them active."""
        attached = min(10_000, self.options.most)
        results = self.runs([attached], lambda count: (
            "-c", count // 10, "--rate", self.options.rate, "--watch", count - count // 10, "--scope", "favourites"))
        for row in results[attached][:1]:
            print(f"\n{attached:,} clients attached, {attached // 10:,} of them active: "
                  f"{row['actionsPerSecond']:,.0f} actions/s, p99 {row['latencyMicroseconds']['p99']:,.0f} µs, hub CPU "
                  f"{row['hubMicrosecondsPerAction']:.2f} µs/action, "
                  f"{(row['hubBytesAfter'] - row['hubBytesBefore']) / attached:,.0f} B each")

    def scopes(self):
        columns = [count for count in (1, 10, 100, 1_000, 10_000) if count <= self.options.most]
        results = self.runs(columns, lambda count: (
            "--workload", "edit", "--todos", max(self.options.most, 100), "-c", 10, "--rate", self.options.rate,
            "--watch", count, "--scope", "todos.todos[{id}]", "--scopes", count))
        self.table("scopes", "scopes", results, "Cost of an edit with a subscriber in each of many scopes", extra=True)

    def payload(self):
        columns = [16, 256, 4_096, 65_536]
        results = self.runs(columns, lambda size: (
            "--workload", "edit", "--todos", 100, "-c", 10, "--rate", min(self.options.rate, 1_000), "--payload", size,
            "--watch", 1))
        self.table("payload", "bytes of text", results, "Cost of an edit with a text of many bytes", extra=True)

    def windows(self):
        """Edits all over a list of many todos, with ten clients that show its first fifty."""
        columns = [count for count in (1_000, 100_000, 1_000_000) if count <= 100 * self.options.most]
        results = self.runs(columns, lambda count: (
            "--workload", "edit", "--todos", count, "-c", 10, "--rate", self.options.rate, "--watch", 10, "--scope",
            "todos.todos[0..<50]"))
        self.table(None, "todos, of which ten clients show 50", results, "")

    def features(self):
        """An action of each of the features that storehubd composes: a counter, favourites with a presentation, todos.

        A client is subscribed to the part of the action's feature, so each action costs a delta.
        """
        actions = ["counter.incrementButtonTapped", "favourites.view.incrementButtonTapped",
                   "todos.addButtonTapped {text}"]
        results = self.runs(actions, lambda action: (
            "--action", action, "-c", 10, "--rate", self.options.rate, "--watch", 1, "--scope", action.split(".")[0]))
        self.table(None, "action of a composed feature", results, "")

    def memory(self):
        """Resident memory for each idle client, and for each todo."""
        count = min(10_000, self.options.most)
        with self.hub() as server:
            report = storeload(self.options.programs, server, "-c", count, "--rate", 100, "--duration", "1s",
                               "--timeout", "60s")
            print(f"\nMemory: {(report['hubBytesAfter'] - report['hubBytesBefore']) / count:,.0f} B for each of "
                  f"{count:,} clients (goal 8,192)")
        with self.hub() as server:
            before = storeload(self.options.programs, server, "-n", 1)["hubBytesAfter"]
            todos = 100 * self.options.most
            after = storeload(self.options.programs, server, "-w", "edit", "--todos", todos, "-n", 1)["hubBytesAfter"]
            print(f"Memory: {(after - before) / todos:,.0f} B for each of {todos:,} todos", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the folder of storehubd and storeload")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rate", type=int, default=5_000, help="actions a second")
    parser.add_argument("--most", type=int, default=10_000, help="the most clients and scopes")
    parser.add_argument("--charts", metavar="FOLDER", help="also draw charts there")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS)
    options = parser.parse_args()
    hard = raise_descriptor_limit()
    if hard and hard < options.most + 200:
        options.most = max(1, hard - 200)
        print(f"At most {options.most:,} clients: {hard:,} descriptors are allowed here (ulimit -Hn).")
    print(f"Load average at the start: {os.getloadavg()[0]:.1f}; {options.runs} rounds of {options.seconds} s.")
    with TemporaryDirectory() as directory:
        growth = Growth(options, directory)
        for part in options.only:
            getattr(growth, part)()


if __name__ == "__main__":
    main()
