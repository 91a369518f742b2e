// XXH3_64bits of xxHash 0.8 with the seed 0. JavaScript has no integers of 64 bits but BigInt, each result of which is
// an allocation; so a number of 64 bits is two of 32 here, and the functions leave their results in `high` and `low`.

import { fromHex } from "../cbor/bytes.js";

const secretBytes = fromHex(
  "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221" +
  "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8" +
  "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb" +
  "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e",
)!;
const secret = new DataView(secretBytes.buffer);

let high = 0;
let low = 0;

/** The product of two numbers of 32 bits, of 64 bits. */
function multiply32(a: number, b: number): void {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const other = aLow * bHigh + (middle & 0xffff);
  high = (aHigh * bHigh + (middle >>> 16) + (other >>> 16)) >>> 0;
  low = Math.imul(a, b) >>> 0;
}

/** The low 64 bits of a product. */
function multiply(aHigh: number, aLow: number, bHigh: number, bLow: number): void {
  multiply32(aLow, bLow);
  high = (high + Math.imul(aHigh, bLow) + Math.imul(aLow, bHigh)) >>> 0;
}

/** The exclusive or of the two halves of a product of 128 bits. */
function multiplyAndFold(aHigh: number, aLow: number, bHigh: number, bLow: number): void {
  multiply32(aLow, bLow);
  const word0 = low;
  const carry1 = high;
  multiply32(aHigh, bLow);
  let word1 = carry1 + low;
  let word2 = high;
  let word3 = 0;
  multiply32(aLow, bHigh);
  word1 += low;
  word2 += high;
  multiply32(aHigh, bHigh);
  // Sums of a few numbers of 32 bits are exact in a double.
  word2 += low + Math.floor(word1 / 2 ** 32);
  word3 = high + Math.floor(word2 / 2 ** 32);
  high = (word1 ^ word3) >>> 0;
  low = (word0 ^ word2) >>> 0;
}

function add(aHigh: number, aLow: number, bHigh: number, bLow: number): void {
  const sum = aLow + bLow;
  low = sum >>> 0;
  high = (aHigh + bHigh + (sum > 0xffffffff ? 1 : 0)) >>> 0;
}

/** Shifts the result to the right by 32 to 63 bits, and combines it with itself. */
function foldHigh(bits: number): void {
  low = (low ^ (high >>> (bits - 32))) >>> 0;
}

/** The same by 1 to 31 bits. */
function foldLow(bits: number): void {
  low = (low ^ ((low >>> bits) | (high << (32 - bits)))) >>> 0;
  high = (high ^ (high >>> bits)) >>> 0;
}

function avalanche(): void {
  foldHigh(37);
  multiply(high, low, 0x16566791, 0x9e3779f9);
  foldHigh(32);
}

function avalancheOfShort(): void {
  foldHigh(33);
  multiply(high, low, 0xc2b2ae3d, 0x27d4eb4f);
  foldLow(29);
  multiply(high, low, 0x165667b1, 0x9e3779f9);
  foldHigh(32);
}

function upTo3(bytes: Uint8Array, count: number): void {
  const first = bytes[0]!;
  const combined = (first << 16) | (bytes[count >> 1]! << 24) | bytes[count - 1]! | (count << 8);
  low = (combined ^ secret.getUint32(0, true) ^ secret.getUint32(4, true)) >>> 0;
  high = 0;
  avalancheOfShort();
}

function upTo8(data: DataView, count: number): void {
  const first = data.getUint32(0, true);
  const last = data.getUint32(count - 4, true);
  const h = (first ^ secret.getUint32(12, true) ^ secret.getUint32(20, true)) >>> 0;
  const l = (last ^ secret.getUint32(8, true) ^ secret.getUint32(16, true)) >>> 0;
  // Rotations by 49 and by 24.
  low = (l ^ ((h << 17) | (l >>> 15)) ^ ((l << 24) | (h >>> 8))) >>> 0;
  high = (h ^ ((l << 17) | (h >>> 15)) ^ ((h << 24) | (l >>> 8))) >>> 0;
  multiply(high, low, 0x9fb21c65, 0x1e98df25);
  const shifted = high >>> 3;
  low = (low ^ (shifted + count)) >>> 0;
  multiply(high, low, 0x9fb21c65, 0x1e98df25);
  foldLow(28);
}

function swapped(word: number): number {
  return ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;
}

function upTo16(data: DataView, count: number): void {
  const lowLow = (data.getUint32(0, true) ^ secret.getUint32(24, true) ^ secret.getUint32(32, true)) >>> 0;
  const lowHigh = (data.getUint32(4, true) ^ secret.getUint32(28, true) ^ secret.getUint32(36, true)) >>> 0;
  const highLow = (data.getUint32(count - 8, true) ^ secret.getUint32(40, true) ^ secret.getUint32(48, true)) >>> 0;
  const highHigh = (data.getUint32(count - 4, true) ^ secret.getUint32(44, true) ^ secret.getUint32(52, true)) >>> 0;
  multiplyAndFold(lowHigh, lowLow, highHigh, highLow);
  add(high, low, highHigh, highLow);
  add(high, low, swapped(lowLow), swapped(lowHigh));
  add(high, low, 0, count);
  avalanche();
}

/** The mixture of 16 bytes with as many of the secret. */
function mix(data: DataView, at: number, key: number): void {
  multiplyAndFold(
    (data.getUint32(at + 4, true) ^ secret.getUint32(key + 4, true)) >>> 0,
    (data.getUint32(at, true) ^ secret.getUint32(key, true)) >>> 0,
    (data.getUint32(at + 12, true) ^ secret.getUint32(key + 12, true)) >>> 0,
    (data.getUint32(at + 8, true) ^ secret.getUint32(key + 8, true)) >>> 0,
  );
}

function upTo128(data: DataView, count: number): void {
  multiply(0, count, 0x9e3779b1, 0x85ebca87);
  for (let pair = (count - 1) >> 5; pair >= 0; pair -= 1) {
    let [h, l] = [high, low];
    mix(data, 16 * pair, 32 * pair);
    add(high, low, h, l);
    [h, l] = [high, low];
    mix(data, count - 16 * (pair + 1), 32 * pair + 16);
    add(high, low, h, l);
  }
  avalanche();
}

function upTo240(data: DataView, count: number): void {
  multiply(0, count, 0x9e3779b1, 0x85ebca87);
  for (let round = 0; round < count >> 4; round += 1) {
    const [h, l] = [high, low];
    mix(data, 16 * round, round < 8 ? 16 * round : 16 * (round - 8) + 3);
    add(high, low, h, l);
    if (round === 7) avalanche();
  }
  const [h, l] = [high, low];
  mix(data, count - 16, 136 - 17);
  add(high, low, h, l);
  avalanche();
}

/** Eight accumulators, each as its low and its high half. */
const accumulators = new Uint32Array(16);
const initial = [
  0xc2b2ae3d, 0, 0x85ebca87, 0x9e3779b1, 0x27d4eb4f, 0xc2b2ae3d, 0x9e3779f9, 0x165667b1,
  0xc2b2ae63, 0x85ebca77, 0x85ebca77, 0, 0x165667c5, 0x27d4eb2f, 0x9e3779b1, 0,
];

/** Takes a stripe of 64 bytes. */
function accumulate(data: DataView, at: number, key: number): void {
  for (let lane = 0; lane < 8; lane += 1) {
    const dataLow = data.getUint32(at + 8 * lane, true);
    const dataHigh = data.getUint32(at + 8 * lane + 4, true);
    const other = 2 * (lane ^ 1);
    add(accumulators[other + 1]!, accumulators[other]!, dataHigh, dataLow);
    accumulators[other] = low;
    accumulators[other + 1] = high;
    multiply32(
      (dataLow ^ secret.getUint32(key + 8 * lane, true)) >>> 0,
      (dataHigh ^ secret.getUint32(key + 8 * lane + 4, true)) >>> 0,
    );
    add(high, low, accumulators[2 * lane + 1]!, accumulators[2 * lane]!);
    accumulators[2 * lane] = low;
    accumulators[2 * lane + 1] = high;
  }
}

function scramble(): void {
  for (let lane = 0; lane < 8; lane += 1) {
    low = accumulators[2 * lane]!;
    high = accumulators[2 * lane + 1]!;
    foldHigh(47);
    multiply(
      (high ^ secret.getUint32(128 + 8 * lane + 4, true)) >>> 0, (low ^ secret.getUint32(128 + 8 * lane, true)) >>> 0,
      0, 0x9e3779b1,
    );
    accumulators[2 * lane] = low;
    accumulators[2 * lane + 1] = high;
  }
}

function long(data: DataView, count: number): void {
  accumulators.set(initial);
  const stripes = (count - 1) >> 6;
  for (let stripe = 0; stripe < stripes; stripe += 1) {
    accumulate(data, 64 * stripe, 8 * (stripe & 15));
    if ((stripe & 15) === 15) scramble();
  }
  accumulate(data, count - 64, 192 - 64 - 7);
  multiply(0, count, 0x9e3779b1, 0x85ebca87);
  for (let pair = 0; pair < 4; pair += 1) {
    const [h, l] = [high, low];
    const key = 11 + 16 * pair;
    multiplyAndFold(
      (accumulators[4 * pair + 1]! ^ secret.getUint32(key + 4, true)) >>> 0,
      (accumulators[4 * pair]! ^ secret.getUint32(key, true)) >>> 0,
      (accumulators[4 * pair + 3]! ^ secret.getUint32(key + 12, true)) >>> 0,
      (accumulators[4 * pair + 2]! ^ secret.getUint32(key + 8, true)) >>> 0,
    );
    add(high, low, h, l);
  }
  avalanche();
}

/**
 * XXH3_64bits of bytes, with the seed 0.
 *
 * @param bytes Fewer than 2^32.
 */
export function xxh3(bytes: Uint8Array): bigint {
  const count = bytes.length;
  const data = new DataView(bytes.buffer, bytes.byteOffset, count);
  if (count === 0) {
    low = (secret.getUint32(56, true) ^ secret.getUint32(64, true)) >>> 0;
    high = (secret.getUint32(60, true) ^ secret.getUint32(68, true)) >>> 0;
    avalancheOfShort();
  } else if (count <= 3) upTo3(bytes, count);
  else if (count <= 8) upTo8(data, count);
  else if (count <= 16) upTo16(data, count);
  else if (count <= 128) upTo128(data, count);
  else if (count <= 240) upTo240(data, count);
  else long(data, count);
  return (BigInt(high) << 32n) | BigInt(low);
}
