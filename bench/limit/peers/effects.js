// Effects as promises of Node: what bench/effects.py compares with those of a hub, printed as JSON.
const [COUNT, SLEEPING, ALONE] = [50_000, 100_000, 50]

// A sleep that can be cancelled, as in an effect: the function waits for it and goes on.
function sleep(milliseconds) {
  let cancel
  const promise = new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    cancel = () => { clearTimeout(timer); reject(new Error("cancelled")) }
  })
  return { promise, cancel }
}

async function effect(milliseconds, done, keep) {
  const sleeping = sleep(milliseconds)
  if (keep) keep(sleeping.cancel)
  try { await sleeping.promise } catch { return }
  done()
}

const turn = () => new Promise(setImmediate)
const microseconds = () => { const usage = process.cpuUsage(); return usage.user + usage.system }

async function cost(kind) {
  let fired = 0
  let cancel = null
  const begin = microseconds()
  for (let i = 0; i < COUNT; i++) {
    if (kind === "debounce") {
      if (cancel) cancel()
      effect(60_000, () => {}, (new_) => { cancel = new_ })
    } else if (kind === "timer") {
      effect(1, () => { fired++ })
    }
    await turn()
  }
  if (cancel) cancel()
  while (kind === "timer" && fired < COUNT) await turn()
  return (microseconds() - begin) / COUNT
}

async function main() {
  const lateness = []
  for (let i = 0; i < ALONE; i++) {
    const due = performance.now() + 20
    await sleep(20).promise
    lateness.push((performance.now() - due) * 1000)
  }
  lateness.sort((a, b) => a - b)
  const figures = {}
  for (const kind of ["plain", "debounce", "timer"]) figures[kind] = await cost(kind)
  const before = process.memoryUsage().rss
  for (let i = 0; i < SLEEPING; i++) effect(3_600_000, () => {})
  await turn()
  figures.sleeping = (process.memoryUsage().rss - before) / 2 ** 20
  figures.lateness = lateness[ALONE / 2]
  figures.latest = lateness[ALONE - 1]
  console.log(JSON.stringify(figures))
  process.exit(0)
}

main()
