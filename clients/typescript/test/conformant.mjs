// The client for the conformance suite (Tests/Conformance): reads commands and writes what happens, as lines of JSON.

import { createInterface } from "node:readline";
import { fromHex, toHex } from "../dist/cbor/bytes.js";
import { CborReader } from "../dist/cbor/reader.js";
import { CborWriter } from "../dist/cbor/writer.js";
import { Hub, NotSent, Path, Rejected, SocketTransport } from "../dist/node.js";

const write = line => process.stdout.write(`${JSON.stringify(line)}\n`);
const parts = new Map();
const signals = new Map();
let hub;

/** Ends when the hub has answered, for an action is written by its schema. */
function live() {
  if (hub.state.phase === "live") return Promise.resolve();
  return new Promise(resolve => {
    const stop = hub.onState(state => {
      if (state.phase !== "live") return;
      stop();
      resolve();
    });
  });
}

const commands = {
  connect({ socket }) {
    hub = new Hub(new SocketTransport(socket), { backOff: { first: 10, longest: 200 } });
    hub.onState(state => state.phase === "refused" && write({ ended: state.error.message }));
  },

  async attach({ part, path }) {
    const steps = path.map(step => {
      if (typeof step === "string") return step;
      return "id" in step ? { id: BigInt(step.id) } : { start: step.window[0], count: step.window[1] };
    });
    const attached = hub.part(new Path(steps));
    parts.set(part, attached);
    try {
      for await (const value of attached) {
        const isPresent = attached.status === "present";
        const bytes = isPresent ? toHex(CborWriter.bytes(writer => attached.scope.resolved.codec.write(writer, value))) : null;
        write({ part, revision: Number(attached.revision), bytes });
      }
    } catch (error) {
      write({ part, error: error.message });
    }
  },

  detach({ part }) {
    parts.get(part).detach();
  },

  async verify({ part }) {
    write({ part, matches: await parts.get(part).verify() });
  },

  async send({ action, bytes }) {
    const controller = new AbortController();
    signals.set(action, controller);
    await live();
    try {
      const { codecs } = hub.core.schemas.get(0);
      const value = CborReader.whole(fromHex(bytes), reader => codecs.of(codecs.schema.action).read(reader));
      await hub.send(value, { signal: controller.signal });
      write({ action, outcome: "applied" });
    } catch (error) {
      if (error instanceof Rejected) write({ action, outcome: "rejected", code: error.code, reason: error.text });
      else write({ action, outcome: error instanceof NotSent && error.reason === "outcomeUnknown" ? "unknown" : "invalid" });
    }
  },

  cancel({ action }) {
    signals.get(action).abort();
  },

  close() {
    hub.close();
    process.exit(0);
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  // One after another where they are not asynchronous.
  void commands[command.do](command);
}
