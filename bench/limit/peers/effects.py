"""Effects as tasks of asyncio: what bench/effects.py compares with those of a hub, printed as JSON."""
import asyncio
import json
import os
import time

COUNT, SLEEPING, ALONE = 50_000, 100_000, 50
fired = 0


async def search():
    await asyncio.sleep(60)


async def fire():
    global fired
    await asyncio.sleep(0.001)
    fired += 1


async def measure(lateness):
    due = time.monotonic() + 0.02
    await asyncio.sleep(0.02)
    lateness.append((time.monotonic() - due) * 1e6)


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


async def cost(kind):
    """One action in each turn of the loop."""
    global fired
    fired, task, tasks = 0, None, set()
    begin = time.process_time()
    for _ in range(COUNT):
        if kind == "debounce":
            if task:
                task.cancel()
            task = asyncio.create_task(search())
        elif kind == "timer":
            timer = asyncio.create_task(fire())
            tasks.add(timer)
            timer.add_done_callback(tasks.discard)
        await asyncio.sleep(0)
    while kind == "timer" and fired < COUNT:
        await asyncio.sleep(0.001)
    return (time.process_time() - begin) * 1e6 / COUNT


async def main():
    lateness = []
    for _ in range(ALONE):
        await measure(lateness)
    lateness.sort()
    figures = {kind: await cost(kind) for kind in ("plain", "debounce", "timer")}
    before = resident()
    sleeping = [asyncio.create_task(search()) for _ in range(SLEEPING)]
    await asyncio.sleep(0.1)
    figures["sleeping"] = (resident() - before) / 2**20
    figures |= {"lateness": lateness[ALONE // 2], "latest": lateness[-1]}
    print(json.dumps(figures), flush=True)
    os._exit(0 if len(sleeping) == SLEEPING else 1)


asyncio.run(main())
