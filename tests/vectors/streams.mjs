// Streams in another language: `node tests/vectors/streams.mjs` checks them against streams.json.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const u32be = (n) => Buffer.from([n >>> 24, n >>> 16, n >>> 8, n]);

class Stream {
  constructor(seed, label) {
    const raw = Buffer.from(seed);
    this.prefix = sha256(Buffer.from("levelgen-rng-v1\0"), u32be(raw.length), raw, Buffer.from(label));
    this.taken = 0;
  }
  word() {
    const place = this.taken++;
    return sha256(this.prefix, u32be(0), u32be(place >>> 3)).readUInt32BE(4 * (place & 7));
  }
  below(n) {
    const limit = 2 ** 32 - (2 ** 32 % n);
    let word = this.word();
    while (word >= limit) word = this.word();
    return word % n;
  }
  shuffle(items) {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      [items[last], items[other]] = [items[other], items[last]];
    }
    return items;
  }
}

let checked = 0;
const same = (found, wanted, what) => {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${what}: ${found} is not ${wanted}`);
  checked++;
};
for (const { seed, label, words, below, shuffle } of JSON.parse(readFileSync(new URL("streams.json", import.meta.url)))) {
  const name = `${seed} / ${label}`;
  let stream = new Stream(seed, label);
  same(words.map(() => stream.word()), words, `words of ${name}`);
  stream = new Stream(seed, label);
  same(below.map(([n]) => stream.below(n)), below.map(([, value]) => value), `draws of ${name}`);
  stream = new Stream(seed, label);
  same(stream.shuffle(shuffle.map((_, i) => i)), shuffle, `shuffle of ${name}`);
}
console.log(`${checked} checked`);
