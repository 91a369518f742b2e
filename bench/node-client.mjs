#!/usr/bin/env node
// The client for Node beside the same actions on a raw socket.
//
//   bench/node-client.mjs HUB [RUNS [SECONDS]]
//
// One client increments the counter on a hub without a journal, with 1 or 64 actions in flight. "raw" writes frames that are ready
// and reads nothing of the answers but their kinds; the client also applies each delta to the part that it has attached. Prints the
// median of the runs, and each rate as a part of the raw one. Build the client first: `tsc -p clients/typescript`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../clients/typescript/dist/node.js";
import { frameBytes, FrameReader } from "../clients/typescript/dist/core/frames.js";
import { attachPayload, helloPayload, readNumber } from "../clients/typescript/dist/core/messages.js";
import { CborWriter } from "../clients/typescript/dist/cbor/writer.js";

const [hubProgram, runs = "3", seconds = "2"] = process.argv.slice(2);
if (!hubProgram) {
  console.error("usage: bench/node-client.mjs HUB [RUNS [SECONDS]]");
  process.exit(2);
}
const [hello, attach, actions, applied] = [0x01, 0x02, 0x03, 0x84];
const increment = Uint8Array.of(0x82, 0x00, 0x01);

/** Actions per second, and the median latency in µs. */
function figures(times, start) {
  const rate = times.length / ((performance.now() - start) / 1000);
  return [rate, times.sort((one, other) => one - other)[Math.floor(times.length / 2)] * 1000];
}

/** Frames of one action each, written and read without a client. */
function raw(socket, depth, seconds) {
  return new Promise((resolve, reject) => {
    const stream = createConnection({ path: socket });
    const reader = new FrameReader(1 << 24);
    const times = [];
    const begun = [];
    let [sent, known, end, start] = [0, 0, 0, 0];
    const send = () => {
      const frames = [];
      while (sent - known < depth && performance.now() < end) {
        sent += 1;
        begun.push(performance.now());
        frames.push(frameBytes(actions, CborWriter.bytes(writer => {
          writer.uint(sent);
          writer.uint(known);
          writer.raw(increment);
        })));
      }
      if (frames.length > 0) stream.write(Buffer.concat(frames));
      else if (known === sent) {
        stream.destroy();
        resolve(figures(times, start));
      }
    };
    stream.on("error", reject);
    stream.on("connect", () => {
      stream.write(frameBytes(hello, helloPayload({ acknowledged: 0, name: "raw" })));
      stream.write(frameBytes(attach, attachPayload({ path: [0], root: 0 }), 1));
      start = performance.now();
      end = start + 1000 * seconds;
      send();
    });
    stream.on("data", bytes => {
      let isNew = false;
      reader.take(bytes, frame => {
        if (frame.kind === applied) {
          const now = performance.now();
          for (const last = readNumber(frame.payload); known < last; known += 1) times.push(now - begun.shift());
          isNew = true;
        }
        return true;
      });
      if (isNew) send();
    });
  });
}

/** The client, with as many loops as actions in flight. */
async function client(socket, depth, seconds) {
  const hub = await connect({ socket });
  const counter = await hub.attach("counter");
  const before = counter.value.count;
  const times = [];
  const start = performance.now();
  const end = start + 1000 * seconds;
  await Promise.all(Array.from({ length: depth }, async () => {
    while (performance.now() < end) {
      const begun = performance.now();
      await hub.send({ case: "counter", value: { case: "incrementButtonTapped" } });
      times.push(performance.now() - begun);
    }
  }));
  const result = figures(times, start);
  if (counter.value.count !== before + BigInt(times.length)) throw new Error("the counter does not add up");
  hub.close();
  return result;
}

async function measure(run, depth) {
  const directory = mkdtempSync(join(tmpdir(), "storehub-bench-"));
  const socket = join(directory, "hub.sock");
  const hub = spawn(hubProgram, ["--socket", socket, "--log-level", "error"], { stdio: ["ignore", "ignore", "inherit"] });
  try {
    (await connect({ socket })).close();
    return await run(socket, depth, Number(seconds));
  } finally {
    hub.kill();
    await once(hub, "exit");
    rmSync(directory, { recursive: true, force: true });
  }
}

const middle = numbers => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)];
console.log("| client | in flight | actions per second | of the raw socket | median latency, µs |\n|---|--:|--:|--:|--:|");
for (const depth of [1, 64]) {
  const found = { raw: [], node: [] };
  // Side by side, so that what else the machine does is the same for both.
  for (let run = 0; run < Number(runs); run += 1) {
    found.raw.push(await measure(raw, depth));
    found.node.push(await measure(client, depth));
  }
  const ratios = found.node.map(([rate], run) => rate / found.raw[run][0]);
  for (const [name, results] of Object.entries(found)) {
    const rate = Math.round(middle(results.map(([rate]) => rate))).toLocaleString("en");
    const ratio = name === "raw" ? "1.00" : middle(ratios).toFixed(2);
    console.log(`| ${name} | ${depth} | ${rate} | ${ratio} | ${Math.round(middle(results.map(([, latency]) => latency)))} |`);
  }
}
