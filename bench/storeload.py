"""Runs storeload, on core 1 or on any, and draws charts with it."""
import json
import os
import subprocess

from servers import on_core


def storeload(programs, server, *arguments, timeout=900, core=1):
    """The result of a run. A run whose result is wrong ends the measurement. Without a core it runs on any."""
    argv = [f"{programs}/storeload", "--socket", server.socket, "--json", *map(str, arguments)]
    run = subprocess.run(
        argv if core is None else on_core(core, argv), capture_output=True, text=True, timeout=timeout, check=False)
    if run.returncode:
        reason = run.stderr.strip() or f"exit status {run.returncode}"
        raise SystemExit(f"storeload {' '.join(map(str, arguments))}: {reason}")
    return json.loads(run.stdout)


def chart(programs, path, title, x, y, series):
    """Draws lines, each a name and points. An axis is its label, its unit (number, time in ns, bytes) and whether it is
    logarithmic."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)

    def axis(label, unit, log):
        return {"label": label, "unit": unit, "log": log}
    text = json.dumps({"title": title, "x": axis(*x), "y": axis(*y),
                       "series": [{"name": name, "points": points} for name, points in series]})
    with open(path, "w", encoding="utf-8") as file:
        subprocess.run([f"{programs}/storeload", "chart"], input=text, stdout=file, text=True, check=True)
    print(f"drew {path}", flush=True)
