// Reads the files of Tests/Golden: sections of "@ name" or "> name" and lines of "key: value".

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fromHex } from "../dist/cbor/bytes.js";

export const repository = fileURLToPath(new URL("../../../", import.meta.url));

/** The sections of a file: `{ sign, name, fields }`, in order. */
export function sections(file) {
  const found = [];
  for (const line of readFileSync(`${repository}Tests/Golden/${file}`, "utf8").split("\n")) {
    const head = /^([@<>]) (.*)$/.exec(line);
    const field = /^  (\w+): (.*)$/.exec(line);
    if (head) found.push({ sign: head[1], name: head[2], fields: {} });
    else if (field && found.length > 0) found.at(-1).fields[field[1]] = field[2];
  }
  return found;
}

export function bytesOf(text) {
  const bytes = fromHex(text);
  if (bytes === undefined) throw new Error(`not hexadecimal: ${text}`);
  return bytes;
}
