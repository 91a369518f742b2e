#!/usr/bin/env python3
"""What one io_uring submission for the output of a turn gains over a write for each client, in C.

The first table has only the output: a turn that writes to sleeping readers (bench/limit/turn_output.c). The second has
whole servers, under the load program of `make bench`: the C limit on bare epoll, with writes and with submissions
(server_epoll and server_uring in bench/limit). A hub does more for each action and has fewer outputs, so that it gains
less. The servers alternate; the ratios are taken round by round.
"""
import argparse
import os
import subprocess

from servers import LIMIT, Server, TemporaryDirectory, load, median, raise_descriptor_limit, ratios

# Connections, depth, watchers.
CASES = [(1, 1, 0), (1, 16, 0), (50, 1, 0), (50, 16, 0), (1, 64, 16), (1, 64, 100), (1, 64, 1000)]
SERVERS = {"writes": "server_epoll", "io_uring": "server_uring"}


def spread(values):
    values = sorted(values)
    return f"{values[len(values) // 2]:.2f} ({values[0]:.2f} – {values[-1]:.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=11, help="rounds of the servers")
    parser.add_argument("--seconds", type=float, default=0.7, help="duration of one run of a server")
    parser.add_argument("--rounds", type=int, default=40, help="rounds of the output alone; 0 leaves it out")
    options = parser.parse_args()
    raise_descriptor_limit()
    if options.rounds:
        # The program chooses the cores of its writer and of its readers.
        realtime = ["chrt", "-r", "50"] if os.environ.get("REALTIME") else []
        subprocess.run([*realtime, f"{LIMIT}/turn_output", "-r", str(options.rounds)], check=True)
        print()
    print("| C | D | W | actions/s with writes | with io_uring | io_uring ÷ writes, median (min – max) | CPU per action, "
          "writes ÷ io_uring |")
    print("|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    with TemporaryDirectory() as directory:
        for case in CASES:
            results = {name: [] for name in SERVERS}
            for run in range(options.runs):
                for name in SERVERS if run % 2 == 0 else reversed(SERVERS):
                    path = f"{directory}/{name}.sock"
                    with Server([f"{LIMIT}/{SERVERS[name]}", "-s", path], path) as server:
                        results[name].append(load(server, "hub", case, options.seconds))
            rates = " | ".join(f"{median(results[name], 'rate') / 1e3:,.1f} k" for name in SERVERS)
            print(f"| {case[0]} | {case[1]} | {case[2]} | {rates} | "
                  f"{spread(ratios(results['io_uring'], results['writes']))} | "
                  f"{spread(ratios(results['writes'], results['io_uring'], 'cpu'))} |", flush=True)


main()
