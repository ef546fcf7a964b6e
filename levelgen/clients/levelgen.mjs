// levelgen in JavaScript: one module without dependencies, for Node ≥ 20 and browsers.
//
//     const pack = await openPack(archiveMembers(bytesOf(data), "eram.lgpack"), TrustRoot.fromPem(pem));
//     const record = pack.level(7);                          // proved a member of the signed tree
//     const verdict = judge(record, parseLog(logBytes));     // what the server will say
//
// The law is synchronous: streams, digests, tree, records, logs, replay. Only signatures are checked asynchronously, by
// the platform's WebCrypto. docs/rules.md, docs/packs.md and docs/formats.md say what this module does; the vectors that
// `levelgen vectors` writes hold it to the same answers as the Python, messages included. Nothing here trusts its input.

// ---------------------------------------------------------------------------------------------------------------------
// Errors: findings with a code, a message, a place and a fix; the kind of error is the exit code.

/** One defect; empty fields are left out, as in the JSON of the command line. */
export function finding(code, message, where = "", fix = "") {
  const found = { code, message };
  if (where) found.where = where;
  if (fix) found.fix = fix;
  return found;
}

const spelt = ({ code, message, where, fix }) =>
  `${where ? `${where}: ` : ""}${message} [${code}]${fix ? `\n  fix: ${fix}` : ""}`;

/** The root of every error this module raises on purpose; `findings` says all that is wrong. */
export class LevelgenError extends Error {
  constructor(findings) {
    super(findings.map(spelt).join("\n"));
    this.name = new.target.name;
    this.findings = findings;
    this.exitCode = new.target.exitCode;
  }
  static exitCode = 70;
  static of(code, message, where = "", fix = "") {
    return new this([finding(code, message, where, fix)]);
  }
}

/** The input cannot be parsed or asks for something that does not exist. */
export class Malformed extends LevelgenError {
  static exitCode = 2;
}

/** A signature or a digest does not hold. */
export class Untrusted extends LevelgenError {
  static exitCode = 3;
}

/** A selection selects nothing. */
export class NothingMatched extends LevelgenError {
  static exitCode = 5;
}

/** This JavaScript lacks something it needs. */
export class SystemFailed extends LevelgenError {
  static exitCode = 6;
}

const asUntrusted = (work) => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Malformed) throw new Untrusted(error.findings);
    throw error;
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// Bytes

const utf8 = new TextEncoder();
const hexadecimal = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export const toBytes = (text) => utf8.encode(text);
export const toHex = (bytes) => bytes.reduce((text, byte) => text + hexadecimal[byte], "");
export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}

export const sameBytes = (a, b) => a.length === b.length && a.every((byte, place) => byte === b[place]);

/** Bytes below 128 as text; what lies beyond is shown as U+FFFD. */
function asciiText(bytes) {
  let text = "";
  for (let begin = 0; begin < bytes.length; begin += 8192) {
    text += String.fromCharCode(...bytes.subarray(begin, begin + 8192));
  }
  return text.replace(/[^\x00-\x7f]/g, "\ufffd");
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The bytes of canonical standard base64, or null: alphabet, padding and spare bits must be exact. */
export function fromBase64(text) {
  const match = /^([A-Za-z0-9+/]*)(={0,2})$/.exec(text);
  if (match === null || text.length % 4) return null;
  const digits = match[1];
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let place = 0;
  for (const digit of digits) {
    held = ((held << 6) | BASE64.indexOf(digit)) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[place++] = (held >> bits) & 255;
    }
  }
  return digits.length % 4 === 1 || held & ((1 << bits) - 1) ? null : bytes;
}

// ---------------------------------------------------------------------------------------------------------------------
// SHA-256 (FIPS 180-4), synchronous. The constants are derived: fractions of square and cube roots of the first primes.

function rootBits(prime, degree) {
  const target = BigInt(prime) << BigInt(32 * degree);
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(degree) <= target) low = middle;
    else high = middle;
  }
  return Number(BigInt.asIntN(32, low));
}

const PRIMES = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((prime) => n % prime)) PRIMES.push(n);
const ROUND = Int32Array.from(PRIMES, (prime) => rootBits(prime, 3));
const INITIAL = Int32Array.from(PRIMES.slice(0, 8), (prime) => rootBits(prime, 2));
const schedule = new Int32Array(64);

function compress(state, data, place) {
  const w = schedule;
  for (let i = 0; i < 16; i++, place += 4) {
    w[i] = (data[place] << 24) | (data[place + 1] << 16) | (data[place + 2] << 8) | data[place + 3];
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15];
    const y = w[i - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i] + w[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

/** The SHA-256 of these bytes, 32 bytes. */
export function sha256(data) {
  const state = INITIAL.slice();
  const whole = data.length & ~63;
  for (let place = 0; place < whole; place += 64) compress(state, data, place);
  const rest = data.length - whole;
  const tail = new Uint8Array(rest < 56 ? 64 : 128);
  tail.set(data.subarray(whole));
  tail[rest] = 0x80;
  const view = new DataView(tail.buffer);
  view.setUint32(tail.length - 8, Math.floor(data.length / 0x20000000));
  view.setUint32(tail.length - 4, data.length << 3);
  for (let place = 0; place < tail.length; place += 64) compress(state, tail, place);
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  state.forEach((word, place) => out.setInt32(4 * place, word));
  return digest;
}

export const sha256Hex = (data) => toHex(sha256(data));

// ---------------------------------------------------------------------------------------------------------------------
// Streams: the only source of chance

/** Unsigned 32-bit words named by a seed and a label. */
export class Stream {
  constructor(seed, label) {
    const raw = toBytes(seed);
    const size = new Uint8Array(4);
    new DataView(size.buffer).setUint32(0, raw.length);
    this.input = new Uint8Array(40);
    this.input.set(sha256(concat(toBytes("levelgen-rng-v1\0"), size, raw, toBytes(label))));
    this.counter = new DataView(this.input.buffer);
    this.block = null;
    this.taken = 0;
  }
  word() {
    const place = this.taken & 7;
    if (place === 0) {
      const number = this.taken / 8;
      this.counter.setUint32(32, Math.floor(number / 4294967296));
      this.counter.setUint32(36, number % 4294967296);
      this.block = new DataView(sha256(this.input).buffer);
    }
    this.taken++;
    return this.block.getUint32(4 * place);
  }
  below(n) {
    const limit = 4294967296 - (4294967296 % n);
    let word = this.word();
    while (word >= limit) word = this.word();
    return word % n;
  }
  choice(items) {
    return items[this.below(items.length)];
  }
  shuffle(items) {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      [items[last], items[other]] = [items[other], items[last]];
    }
    return items;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// JSON, read strictly: objects become Maps, so that no key is special and their order is kept.

export const MAX_LINE = 1 << 20;
export const MAX_DEPTH = 8;

class Refused extends Error {
  constructor(code, message, place = -1) {
    super(message);
    this.code = code;
    this.place = place;
  }
}

const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const WORDS = Object.entries({ null: null, true: true, false: false });
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const CONSTANT = /-?Infinity|NaN/y;

class Parser {
  constructor(text, integer, depth) {
    this.text = text;
    this.integer = integer;
    this.depth = depth;
    this.place = 0;
  }
  whole() {
    this.blanks();
    const value = this.value(0);
    this.blanks();
    if (this.place !== this.text.length) this.stop("Extra data");
    return value;
  }
  stop(message, place = this.place) {
    throw new Refused("json/syntax", message, place);
  }
  blanks() {
    for (;;) {
      const sign = this.text.charCodeAt(this.place);
      if (sign !== 32 && sign !== 10 && sign !== 13 && sign !== 9) return;
      this.place++;
    }
  }
  value(level) {
    const sign = this.text[this.place];
    if (sign === '"') return this.string();
    if (sign === "{" || sign === "[") {
      if (level >= this.depth) throw new Refused("json/too-deep", `nests deeper than ${this.depth}`, this.place);
      return sign === "[" ? this.array(level + 1) : this.object(level + 1);
    }
    for (const [word, value] of WORDS) {
      if (sign === word[0] && this.text.startsWith(word, this.place)) {
        this.place += word.length;
        return value;
      }
    }
    return this.number();
  }
  number() {
    CONSTANT.lastIndex = NUMBER.lastIndex = this.place;
    const constant = CONSTANT.exec(this.text);
    const found = constant ?? NUMBER.exec(this.text);
    if (found === null) this.stop("Expecting value");
    if (constant || found[1] || found[2]) {
      throw new Refused("json/number", `${found[0].slice(0, 24)} is not an integer`, this.place);
    }
    this.place += found[0].length;
    return this.integer(found[0]);
  }
  array(level) {
    const items = [];
    this.place++;
    this.blanks();
    if (this.text[this.place] === "]") {
      this.place++;
      return items;
    }
    for (;;) {
      items.push(this.value(level));
      this.blanks();
      const sign = this.text[this.place];
      if (sign !== "," && sign !== "]") this.stop("Expecting ',' delimiter");
      this.place++;
      if (sign === "]") return items;
      this.blanks();
    }
  }
  object(level) {
    const pairs = [];
    this.place++;
    this.blanks();
    if (this.text[this.place] === "}") {
      this.place++;
      return new Map();
    }
    for (;;) {
      if (this.text[this.place] !== '"') this.stop("Expecting property name enclosed in double quotes");
      const key = this.string();
      this.blanks();
      if (this.text[this.place] !== ":") this.stop("Expecting ':' delimiter");
      this.place++;
      this.blanks();
      pairs.push([key, this.value(level)]);
      this.blanks();
      const sign = this.text[this.place];
      if (sign !== "," && sign !== "}") this.stop("Expecting ',' delimiter");
      this.place++;
      if (sign === "}") break;
      this.blanks();
    }
    const map = new Map(pairs);
    if (map.size !== pairs.length) {
      const seen = new Set();
      const twice = pairs.find(([key]) => seen.has(key) || !seen.add(key))[0];
      throw new Refused("json/duplicate-key", `the key ${pyRepr(cut(twice, 40))} is given twice`);
    }
    return map;
  }
  string() {
    const begin = this.place++;
    let text = "";
    for (;;) {
      const start = this.place;
      let sign = this.text.charCodeAt(this.place);
      while (sign !== 34 && sign !== 92 && sign >= 32) sign = this.text.charCodeAt(++this.place);
      text += this.text.slice(start, this.place);
      if (sign === 34) {
        this.place++;
        return text;
      }
      if (sign !== 92) {
        if (this.place >= this.text.length) this.stop("Unterminated string starting at", begin);
        this.stop("Invalid control character at");
      }
      const letter = this.text[this.place + 1];
      if (letter === "u") {
        const digits = this.text.slice(this.place + 2, this.place + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.stop("Invalid \\uXXXX escape", this.place + 1);
        text += String.fromCharCode(parseInt(digits, 16));
        this.place += 6;
      } else {
        if (letter === undefined) this.stop("Unterminated string starting at", begin);
        if (!Object.hasOwn(ESCAPES, letter)) this.stop("Invalid \\escape: ");
        text += ESCAPES[letter];
        this.place += 2;
      }
    }
  }
}

function strictInteger(text) {
  if (text === "-0") throw new Refused("json/number", "-0 is not written as 0");
  const value = Number(text);
  if (text.length > 17 || !Number.isSafeInteger(value)) {
    throw new Refused("json/number", `${text.slice(0, 24)} is not below 2^53`);
  }
  return value;
}

function nestsDeeper(text, depth) {
  let level = 0;
  for (let place = 0; place < text.length; place++) {
    const sign = text.charCodeAt(place);
    if (sign === 34) {
      for (place++; place < text.length && text.charCodeAt(place) !== 34; place++) {
        if (text.charCodeAt(place) === 92) place++;
      }
    } else if (sign === 91 || sign === 123) {
      if (++level > depth) return true;
    } else if (sign === 93 || sign === 125) {
      level--;
    }
  }
  return false;
}

function* partsOf(value) {
  if (Array.isArray(value)) for (const item of value) yield* partsOf(item);
  else if (value instanceof Map) for (const [key, item] of value) (yield key, yield* partsOf(item));
  else yield value;
}

const hasLoneSurrogate = (text) => /\p{Surrogate}/u.test(text);

/** The value in `data` (bytes of one JSON text): RFC 8259 minus everything two parsers might read differently. */
export function decodeJson(data, where, { limit = MAX_LINE, depth = MAX_DEPTH, booleans = true } = {}) {
  if (data.length > limit) {
    throw Malformed.of("json/too-long", `has ${data.length} bytes, more than ${limit}`, where);
  }
  if (data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf) {
    throw Malformed.of("json/bom", "starts with a byte-order mark", where, "save it without one");
  }
  const beyond = data.findIndex((byte) => byte > 127);
  if (beyond >= 0) {
    throw Malformed.of("json/not-ascii", `byte ${beyond} is not ASCII`, where, "write it as an escape, \\uXXXX");
  }
  const text = asciiText(data);
  if (nestsDeeper(text, depth)) throw Malformed.of("json/too-deep", `nests deeper than ${depth}`, where);
  let value;
  try {
    value = new Parser(text, strictInteger, depth).whole();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.code !== "json/syntax") throw Malformed.of(error.code, error.message, where);
    const before = text.slice(0, error.place).split("\n");
    const column = before.at(-1).length + 1;
    const place = before.length > 1 ? `${where}:${before.length}:${column}` : `${where}, column ${column}`;
    throw Malformed.of("json/syntax", `is not JSON: ${error.message}`, place);
  }
  if (!booleans && /true|false/.test(text) && [...partsOf(value)].some((part) => typeof part === "boolean")) {
    throw Malformed.of("json/boolean", "holds true or false where nothing can be either", where);
  }
  if (text.includes("\\u") && [...partsOf(value)].some((part) => typeof part === "string" && hasLoneSurrogate(part))) {
    throw Malformed.of("json/surrogate", "a string holds half of a surrogate pair", where);
  }
  return value;
}

const quoted = (text) =>
  JSON.stringify(text).replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** A value as ASCII JSON, its keys in the order given; `gap` is a blank for the spelling Python's `json.dumps` has. */
export function encodeJson(value, gap = "") {
  if (Array.isArray(value)) return `[${value.map((item) => encodeJson(item, gap)).join(`,${gap}`)}]`;
  if (value !== null && typeof value === "object") {
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    return `{${entries.map(([key, item]) => `${quoted(key)}:${gap}${encodeJson(item, gap)}`).join(`,${gap}`)}}`;
  }
  return typeof value === "string" ? quoted(value) : String(value);
}

function decodeCanonical(data, where, limit = MAX_LINE) {
  const value = decodeJson(data, where, { limit });
  if (!sameBytes(toBytes(encodeJson(value)), data)) {
    throw Malformed.of("json/not-canonical", "is not spelt as levelgen writes it: blanks, escapes", where);
  }
  return value;
}

/** The first `count` code points of a text. */
const cut = (text, count) => (text.length <= count ? text : Array.from(text).slice(0, count).join(""));

/** A value as messages spell it: the way Python's `repr` does. */
function pyRepr(value) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(pyRepr).join(", ")}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([key, item]) => `${pyRepr(key)}: ${pyRepr(item)}`).join(", ")}}`;
  }
  if (typeof value !== "string") return String(value);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const named = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", [quote]: `\\${quote}` };
  const escaped = value.replace(/[\\'"]|(?! )[\p{C}\p{Z}]/gu, (sign) => {
    if (sign === "'" || sign === '"') return sign === quote ? `\\${sign}` : sign;
    if (Object.hasOwn(named, sign)) return named[sign];
    const code = sign.codePointAt(0);
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
  });
  return quote + escaped + quote;
}

const isCount = (value, low = 0, high = Number.MAX_SAFE_INTEGER) =>
  Number.isSafeInteger(value) && value >= low && value <= high;
const isMatch = (value, pattern) => typeof value === "string" && pattern.test(value);
const isDigest = (value) => isMatch(value, /^[0-9a-f]{64}$/);
const sameList = (a, b) => a.length === b.length && a.every((item, place) => item === b[place]);

/** Names in the order of their code points. */
export function byCodePoint(a, b) {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let place = 0; place < left.length && place < right.length; place++) {
    if (left[place] !== right[place]) return left[place].codePointAt(0) - right[place].codePointAt(0);
  }
  return left.length - right.length;
}

const isSorted = (names) => names.every((name, place) => !place || byCodePoint(names[place - 1], name) <= 0);

function kindOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return { string: "a text", number: "a number", boolean: "a truth value" }[typeof value] ?? "something else";
}

function* fieldFindings(value, fields, where, kind) {
  if (!(value instanceof Map)) {
    yield finding(`${kind}/not-an-object`, `is not an object but ${kindOf(value)}`, where);
    return;
  }
  const keys = [...value.keys()];
  if (sameList(keys, fields)) return;
  for (const key of keys) {
    if (!fields.includes(key)) {
      const message = `has an unknown field ${pyRepr(cut(key, 40))}`;
      yield finding(`${kind}/unknown-field`, message, where, "remove it, or mend its spelling");
    }
  }
  const missing = fields.filter((key) => !value.has(key));
  for (const key of missing) yield finding(`${kind}/missing-field`, `has no field '${key}'`, where);
  if (!missing.length && keys.length === fields.length) {
    yield finding(`${kind}/field-order`, `does not keep the order of its fields: ${fields.join(", ")}`, where);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Rulesets and gates

const BLOCKING = ["cover", "horizontal", "vertical"];
const OFFERED = {
  pairs: { blocking: BLOCKING, face_down: ["lift", "flip"], loss: ["no-move", "tray-full"] },
  triples: { blocking: ["cover"] },
};

/** The two rulesets that ship, with their defaults. */
export const RULESETS = {
  pairs: { id: "pairs", group: 2, tray: 4, blocking: BLOCKING, face_down: "lift", loss: "no-move", last_slot: 1 },
  triples: { id: "triples", group: 3, tray: 7, blocking: ["cover"], face_down: "", loss: "", last_slot: 1 },
};

/** A ruleset as it stands in a record. */
export function rulesetJson(rules) {
  const data = { id: rules.id, group: rules.group, tray: rules.tray, blocking: rules.blocking };
  if (rules.id === "pairs") Object.assign(data, { face_down: rules.face_down, loss: rules.loss });
  if (rules.last_slot !== 1) data.last_slot = rules.last_slot;
  return data;
}

/** The ruleset a record (a Map or an object) spells out; what is left out has its default. */
export function rulesetFrom(data, where = "ruleset") {
  const given = data instanceof Map ? data : new Map(Object.entries(data));
  const id = given.get("id");
  const base = typeof id === "string" && Object.hasOwn(RULESETS, id) ? RULESETS[id] : null;
  if (base === null) {
    const message = `unknown ruleset id ${pyRepr(id ?? null)}`;
    throw Malformed.of("ruleset/unknown", message, where, "use one of pairs, triples");
  }
  const findings = [...rulesetFindings(given, base, where)];
  if (findings.length) throw new Malformed(findings);
  const rules = { ...base };
  for (const [key, value] of given) {
    rules[key] = key === "blocking" ? BLOCKING.filter((name) => value.includes(name)) : value;
  }
  return rules;
}

function* rulesetFindings(data, base, where) {
  const offered = OFFERED[base.id];
  for (const [key, value] of data) {
    const at = `${where}.${key}`;
    if (key === "id") continue;
    if (key === "group") {
      if (value !== base.group) {
        yield finding("ruleset/group", `${base.id} clears ${base.group} alike, not ${pyRepr(value)}`, at);
      }
    } else if (key === "tray" || key === "last_slot") {
      const [low, high] = key === "tray" ? [base.group, 64] : [1, 63];
      if (!isCount(value, low, high)) {
        yield finding("ruleset/range", `${pyRepr(value)} is not an integer from ${low} to ${high}`, at);
      }
    } else if (key === "blocking" && !Array.isArray(value)) {
      const fix = `write [${offered.blocking.join(", ")}]`;
      yield finding("ruleset/blocking", `${pyRepr(value)} is not a list`, at, fix);
    } else if (key === "blocking") {
      if (value.some((name) => !offered.blocking.includes(name)) || new Set(value).size !== value.length) {
        const choice = offered.blocking.join(", ");
        yield finding("ruleset/blocking", `${pyRepr(value)} is not a choice of ${choice} without repeats`, at);
      } else if (base.id === "triples" && !value.length) {
        yield finding("ruleset/blocking", "triples always block by covering", at, "write [cover]");
      }
    } else if (Object.hasOwn(offered, key)) {
      if (!offered[key].includes(value)) {
        yield finding("ruleset/value", `${pyRepr(value)} is not offered`, at, `use ${offered[key].join(" or ")}`);
      }
    } else {
      yield finding("ruleset/unknown-key", `${base.id} has no parameter ${pyRepr(key)}`, at, `remove ${key}`);
    }
  }
}

const cellKey = (x, y, z) => (z * 4096 + y + 1) * 4096 + x + 1;

/** Blocking as gates: per tile the least alternatives, fewest blockers first, each a list of ascending ids. */
export function gates(slots, blocking) {
  const cells = new Map();
  slots.forEach(([x, y, z], tile) => {
    for (const key of [cellKey(x, y, z), cellKey(x + 1, y, z), cellKey(x, y + 1, z), cellKey(x + 1, y + 1, z)]) {
      const found = cells.get(key);
      if (found) found.push(tile);
      else cells.set(key, [tile]);
    }
  });
  const layers = slots.reduce((most, [, , z]) => Math.max(most, z + 1), 0);
  const at = (...spots) => {
    const found = new Set();
    for (const spot of spots) for (const tile of cells.get(cellKey(...spot)) ?? []) found.add(tile);
    return [...found];
  };
  return slots.map(([x, y, z]) => {
    const above = [];
    if (blocking.includes("cover")) {
      for (let h = z + 1; h < layers; h++) above.push(...at([x, y, h], [x + 1, y, h], [x, y + 1, h], [x + 1, y + 1, h]));
    }
    const sides = blocking.includes("horizontal")
      ? [at([x - 1, y, z], [x - 1, y + 1, z]), at([x + 2, y, z], [x + 2, y + 1, z])]
      : [[]];
    const ends = blocking.includes("vertical")
      ? [at([x, y - 1, z], [x + 1, y - 1, z]), at([x, y + 2, z], [x + 1, y + 2, z])]
      : [[]];
    return least(sides.flatMap((side) => ends.map((end) => [...new Set([...above, ...side, ...end])])));
  });
}

/** Only the alternatives that contain no other; in the order of their size, then of their highest ids. */
function least(alternatives) {
  const sorted = alternatives.map((ids) => ids.sort((a, b) => a - b));
  sorted.sort((a, b) => {
    let order = a.length - b.length;
    for (let place = a.length - 1; place >= 0 && !order; place--) order = a[place] - b[place];
    return order;
  });
  const kept = [];
  for (const ids of sorted) if (!kept.some((other) => other.every((id) => ids.includes(id)))) kept.push(ids);
  return kept;
}

// ---------------------------------------------------------------------------------------------------------------------
// The law of play. Sets of tiles are words of bits; positions are never changed in place.

const has = (words, tile) => (words[tile >> 5] >>> (tile & 31)) & 1;

function without(words, ...tiles) {
  const left = words.slice();
  for (const tile of tiles) left[tile >> 5] &= ~(1 << (tile & 31));
  return left;
}

/** The ids in a set, ascending. */
export function tilesOf(words) {
  const found = [];
  for (let place = 0; place < words.length; place++) {
    for (let word = words[place]; word; word &= word - 1) found.push(32 * place + 31 - Math.clz32(word & -word));
  }
  return found;
}

const isEmpty = (words) => words.every((word) => !word);

/** A layout under a ruleset, compiled to gates. */
export class Board {
  constructor(slots, ruleset) {
    this.slots = slots;
    this.ruleset = ruleset;
    this.gates = gates(slots, ruleset.blocking);
    this.words = (slots.length + 31) >> 5;
    // Each alternative as [word, bits, word, bits, …], only the words that have bits.
    this.masks = this.gates.map((ways) =>
      ways.map((ids) => {
        const words = new Map();
        for (const id of ids) words.set(id >> 5, (words.get(id >> 5) ?? 0) | (1 << (id & 31)));
        return [...words].flat();
      }),
    );
  }
  isOpen(tile, remaining) {
    ways: for (const mask of this.masks[tile]) {
      for (let place = 0; place < mask.length; place += 2) if (remaining[mask[place]] & mask[place + 1]) continue ways;
      return true;
    }
    return false;
  }
  openTiles(remaining) {
    return tilesOf(remaining).filter((tile) => this.isOpen(tile, remaining));
  }
  opensWhen(tile, remaining) {
    return this.gates[tile].map((ids) => ids.filter((id) => has(remaining, id)));
  }
}

/** Faces dealt onto a board; `tray` and `removed` make it a position in mid-game. */
export class Deal {
  constructor(board, faces, faceDown = [], tray = [], removed = []) {
    Object.assign(this, { board, faces, faceDown, tray, removed });
    const remaining = new Int32Array(board.words);
    faces.forEach((_, tile) => (remaining[tile >> 5] |= 1 << (tile & 31)));
    const left = without(remaining, ...removed);
    const hidden = new Int32Array(board.words);
    for (const tile of faceDown) if (has(left, tile)) hidden[tile >> 5] |= 1 << (tile & 31);
    this.start = new Position(this, left, hidden, tray);
  }
}

/** The deal in a board file's line, as a parsed object that is trusted to be one. */
export function dealOf(data) {
  const board = new Board(data.slots, rulesetFrom(data.ruleset));
  return new Deal(board, data.faces, data.face_down, data.tray ?? [], data.removed ?? []);
}

const NEEDED = { pair: 2, lift: 1, match: 1, flip: 0, pick: 1 };
const refusal = (reason, message, tiles = []) => ({ reason, message, tiles });

/** A state of play. */
export class Position {
  constructor(deal, remaining, hidden, tray) {
    this.deal = deal;
    this.remaining = remaining;
    this.hidden = hidden;
    this.tray = tray;
  }

  /** Why a move is not accepted here (`{reason, message, tiles}`), or null when it is. */
  refusal({ kind, tiles }) {
    const { board, faces } = this.deal;
    const rules = board.ruleset;
    if (rules.id === "triples") {
      if (kind !== "pick") return refusal("wrong-game", `triples has no move '${kind}'`);
    } else if (kind !== "pair" && kind !== "match" && kind !== rules.face_down) {
      return refusal("wrong-game", `${rules.id} with face_down ${rules.face_down} has no move '${kind}'`);
    }
    for (const tile of tiles) {
      if (tile >= faces.length) {
        return refusal("no-such-tile", `the board has tiles 0 to ${faces.length - 1}, no ${tile}`, [tile]);
      }
    }
    for (const tile of tiles) {
      if (!has(this.remaining, tile)) return refusal("gone", `tile ${tile} has left the board`, [tile]);
    }
    const first = tiles[0];
    const last = tiles.at(-1);
    if (kind === "pair" && first === last) {
      return refusal("same-tile", `tile ${first} cannot be paired with itself`, [first]);
    }
    for (const tile of tiles) {
      if (!board.isOpen(tile, this.remaining)) return this.#blocked(kind === "pick" ? "held" : "blocked", tile);
    }
    if (kind === "pick") {
      return this.full ? refusal("tray-full", `all ${rules.tray} slots are occupied`, [first]) : null;
    }
    for (const tile of tiles) {
      if (has(this.hidden, tile) && (kind === "pair" || kind === "match")) {
        return refusal("face-down", `tile ${tile} lies face down; ${rules.face_down} it first`, [tile]);
      }
      if (!has(this.hidden, tile) && (kind === "lift" || kind === "flip")) {
        return refusal("face-up", `tile ${tile} shows its face already`, [tile]);
      }
    }
    if (kind === "pair" && faces[first] !== faces[last]) {
      const message = `tile ${first} shows ${faces[first]}, tile ${last} shows ${faces[last]}`;
      return refusal("faces-differ", message, [first, last]);
    }
    if (kind === "match" && !this.tray.includes(faces[first])) {
      return refusal("no-mate", `no ${faces[first]} waits in the tray`, [first]);
    }
    if (this.tray.length + NEEDED[kind] > rules.tray) {
      const slots = `${this.tray.length} of ${rules.tray} slots are occupied`;
      return refusal("tray-full", `${slots}; a ${kind} needs ${NEEDED[kind]} empty`, tiles);
    }
    return null;
  }

  #blocked(reason, tile) {
    const ways = this.deal.board.opensWhen(tile, this.remaining);
    const text = ways.map((way) => way.join(" and ")).join(", or ");
    const causes = [...new Set(ways.flat())].sort((a, b) => a - b);
    return refusal(reason, `tile ${tile} is ${reason}; it opens when these are gone: ${text}`, causes);
  }

  /** The position after an accepted move; call `refusal` first, this does not check. */
  after({ kind, tiles }) {
    const { deal, remaining, hidden, tray } = this;
    if (kind === "flip") return new Position(deal, remaining, without(hidden, tiles[0]), tray);
    if (kind === "pair") return new Position(deal, without(remaining, ...tiles), hidden, tray);
    const left = without(remaining, tiles[0]);
    const shown = has(hidden, tiles[0]) ? without(hidden, tiles[0]) : hidden;
    return new Position(deal, left, shown, enter(tray, deal.faces[tiles[0]], deal.board.ruleset.group));
  }

  /** Ids of the open tiles, ascending. */
  openTiles() {
    return this.deal.board.openTiles(this.remaining);
  }

  /** Every accepted move once, pairs with the lower id first. */
  *moves() {
    const { board, faces } = this.deal;
    const rules = board.ruleset;
    const room = rules.tray - this.tray.length;
    const shown = new Map();
    for (const tile of this.openTiles()) {
      if (rules.id === "triples") {
        if (room >= 1) yield move("pick", [tile]);
      } else if (has(this.hidden, tile)) {
        if (room >= 1 || rules.face_down === "flip") yield move(rules.face_down, [tile]);
      } else {
        const mates = shown.get(faces[tile]) ?? [];
        if (room >= 2) for (const mate of mates) yield move("pair", [mate, tile]);
        shown.set(faces[tile], [...mates, tile]);
        if (room >= 1 && this.tray.includes(faces[tile])) yield move("match", [tile]);
      }
    }
  }

  get won() {
    return !this.tray.length && isEmpty(this.remaining);
  }

  get lost() {
    const rules = this.deal.board.ruleset;
    if (rules.id !== "pairs" || this.won || (rules.loss === "tray-full" && !this.tray.length)) return false;
    return this.moves().next().done;
  }

  /** Every slot of the tray is occupied: no pick is accepted any more. */
  get full() {
    return this.tray.length >= this.deal.board.ruleset.tray;
  }

  /** `last-slot` when exactly as many slots are empty as the ruleset warns at; else empty. */
  get warning() {
    const rules = this.deal.board.ruleset;
    return rules.tray - this.tray.length === rules.last_slot ? "last-slot" : "";
  }

  /** SHA-256 of the state, in hexadecimal. */
  digest() {
    const onBoard = tilesOf(this.remaining);
    const faces = onBoard.map((tile) => this.deal.faces[tile]);
    const lines = ["levelgen-state-1", onBoard.join(" "), tilesOf(this.hidden).join(" "), faces.join(" "), this.tray.join(" ")];
    return sha256Hex(toBytes(lines.map((line) => `${line}\n`).join("")));
  }
}

function enter(tray, face, group) {
  const last = tray.lastIndexOf(face);
  if (last < 0) return [...tray, face];
  const rest = tray.filter((other) => other !== face);
  return tray.length - rest.length + 1 === group ? rest : [...tray.slice(0, last + 1), face, ...tray.slice(last + 1)];
}

// ---------------------------------------------------------------------------------------------------------------------
// Shuffle: a constructive deal without a solver

const SHUFFLE_TRIES = 256;

/** The tiles on the board dealt anew over their places so that the position can be won; null when that is refused. */
export function shuffle(position, seed) {
  const { deal, remaining, hidden, tray } = position;
  const rules = deal.board.ruleset;
  if (tray.length >= rules.tray) return null;
  const stream = new Stream(seed, "shuffle");
  const copies = new Map();
  for (const tile of tilesOf(remaining)) copies.set(deal.faces[tile], (copies.get(deal.faces[tile]) ?? 0) + 1);
  for (const face of new Set(tray)) {
    const waiting = tray.filter((other) => other === face).length;
    copies.set(face, (copies.get(face) ?? 0) - (rules.group - waiting));
  }
  const groups = [];
  for (const face of [...copies.keys()].sort(byCodePoint)) {
    for (let left = Math.floor(copies.get(face) / rules.group); left > 0; left--) groups.push(face);
  }
  const tries = rules.id === "pairs" ? SHUFFLE_TRIES : 1;
  for (let number = 0; number < tries; number++) {
    const dealt = (rules.id === "pairs" ? shuffledPairs : shuffledPicks)(position, [...groups], stream);
    if (dealt === null) continue;
    const faces = deal.faces.map((face, tile) => dealt.get(tile) ?? face);
    const gone = faces.map((_, tile) => tile).filter((tile) => !has(remaining, tile));
    return new Deal(deal.board, faces, tilesOf(hidden), tray, gone);
  }
  return null;
}

function shuffledPairs({ deal: { board }, tray, remaining }, groups, stream) {
  const singles = stream.shuffle([...tray]);
  const first = groups.length ? Math.max(0, singles.length + 2 - board.ruleset.tray) : 0;
  const rest = stream.shuffle([...singles.slice(first), ...groups]);
  const owed = new Set(singles);
  const dealt = new Map();
  let left = remaining;
  for (const face of [...singles.slice(0, first), ...rest]) {
    const number = owed.delete(face) ? 1 : 2;
    const choices = board.openTiles(left);
    if (choices.length < number) return null;
    for (let taken = 0; taken < number; taken++) {
      const [tile] = choices.splice(stream.below(choices.length), 1);
      dealt.set(tile, face);
      left = without(left, tile);
    }
  }
  return dealt;
}

function shuffledPicks({ deal: { board }, tray, remaining }, groups, stream) {
  const slots = board.ruleset.tray;
  const waiting = new Map();
  for (const face of tray) waiting.set(face, (waiting.get(face) ?? 0) + 1);
  const most = () => Math.max(0, ...waiting.values());
  if (tray.length + 3 - most() > slots) return null;
  const order = [];
  for (let left = remaining; !isEmpty(left); left = without(left, order.at(-1))) {
    order.push(stream.choice(board.openTiles(left)));
  }
  const unstarted = stream.shuffle(groups);
  const dealt = new Map();
  for (const tile of order) {
    const held = [...waiting.values()].reduce((sum, number) => sum + number, 0);
    const fullest = most();
    const choices = [];
    for (const [face, number] of waiting) {
      if (number === 2 || held + 4 - Math.max(number + 1, fullest) <= slots) choices.push([face, -1]);
    }
    if (held + 4 - Math.max(1, fullest) <= slots) {
      const fresh = unstarted.map((_, index) => index).filter((index) => !waiting.has(unstarted[index]));
      if (fresh.length) {
        const index = stream.choice(fresh);
        choices.push([unstarted[index], index]);
      }
    }
    const [face, index] = stream.choice(choices);
    if (index >= 0) unstarted.splice(index, 1);
    const number = (waiting.get(face) ?? 0) + 1;
    if (number === 3) waiting.delete(face);
    else waiting.set(face, number);
    dealt.set(tile, face);
  }
  return dealt;
}

// ---------------------------------------------------------------------------------------------------------------------
// Moves and logs

export const MAX_TILES = 4096;
export const MAX_LOG_BYTES = 1 << 20;
export const MAX_MOVES = 100_000;
/** The tools that are counted against a balance and make a win an assisted one. */
export const AIDS = ["undo", "hint", "shuffle"];

const move = (kind, tiles = [], seed = "") => ({ kind, tiles, seed });
const SIGNS = { "^": "lift", "=": "match", "~": "flip", "": "pick" };
const LETTERS = { u: "undo", h: "hint", r: "restart", g: "give_up" };
const PLAY = /^(?:([\^=~]?)(0|[1-9][0-9]{0,3})|(0|[1-9][0-9]{0,3})-(0|[1-9][0-9]{0,3}))$/;
const HEADER = /^levelgen-log ([0-9]+) ([a-z0-9][a-z0-9._-]{0,63})#([1-9][0-9]{0,8})(?: ([0-9a-f]{64}))?$/;
const FIX = "write 3-9 (pair), ^4 (lift), =12 (match), ~4 (flip), 7 (pick), u, h, s:SEED, r or g";
const known = new Map();

/** The move a token stands for (`{kind, tiles, seed}`), or null when it is none. */
export function decodeMove(token) {
  let found = known.get(token);
  if (found === undefined) {
    found = readMove(token);
    if (known.size >= 1 << 14) known.clear();
    known.set(token, found);
  }
  return found;
}

function readMove(token) {
  const play = PLAY.exec(token);
  if (play === null) {
    if (/^s:[A-Za-z0-9._/+-]{1,64}$/.test(token)) return move("shuffle", [], token.slice(2));
    return Object.hasOwn(LETTERS, token) ? move(LETTERS[token]) : null;
  }
  const [, sign, single, first, second] = play;
  const tiles = first === undefined ? [Number(single)] : [Number(first), Number(second)];
  return Math.max(...tiles) >= MAX_TILES ? null : move(first === undefined ? SIGNS[sign] : "pair", tiles);
}

/** A move as its text token. */
export function encodeMove({ kind, tiles, seed }) {
  if (kind === "pair") return `${tiles[0]}-${tiles[1]}`;
  if (kind === "shuffle") return `s:${seed}`;
  const table = tiles.length ? SIGNS : LETTERS;
  return Object.keys(table).find((sign) => table[sign] === kind) + (tiles.length ? tiles[0] : "");
}

const BLANK = "\\t-\\r\\x1c- "; // what separates tokens; line ends are among them
const LINE_END = /\r\n|[\n-\r\x1c-\x1e]/;
const strip = (text) => text.replace(new RegExp(`^[${BLANK}]+|[${BLANK}]+$`, "g"), "");

/** The log in these bytes, text or JSON: `{pack, level, moves, record}`, record a digest or empty. */
export function parseLog(data, where = "log") {
  if (data.length > MAX_LOG_BYTES) {
    throw Malformed.of("log/too-long", `has ${data.length} bytes, more than ${MAX_LOG_BYTES}`, where);
  }
  const beyond = data.findIndex((byte) => byte > 127);
  if (beyond >= 0) throw Malformed.of("log/not-ascii", `byte ${beyond} is not ASCII`, where);
  const text = asciiText(data);
  return strip(text.slice(0, 4096)).startsWith("{") || strip(text).startsWith("{")
    ? jsonLog(text, where)
    : textLog(text, where);
}

function textLog(text, where) {
  const lines = text.split(LINE_END);
  const header = HEADER.exec(strip(lines[0]));
  if (header === null) {
    const message = "does not start with `levelgen-log 1 PACK#N` or `levelgen-log 1 PACK#N RECORD`";
    throw Malformed.of("log/header", message, `${where}:1:1`, "add that line on top");
  }
  if (header[1] !== "1") {
    const message = `is of version ${header[1]}; this levelgen reads version 1`;
    throw Malformed.of("log/version", message, `${where}:1:14`);
  }
  const tokens = [];
  const places = [];
  const word = new RegExp(`[^${BLANK}]+`, "g");
  for (let number = 1; number < lines.length; number++) {
    for (const found of lines[number].matchAll(word)) {
      tokens.push(found[0]);
      places.push([number + 1, found.index + 1]);
    }
  }
  const at = (index) => `${where}:${places[index][0]}:${places[index][1]}`;
  return { pack: header[2], level: Number(header[3]), moves: decodeAll(tokens, at, where), record: header[4] ?? "" };
}

function jsonLog(text, where) {
  let data;
  if (nestsDeeper(text, MAX_DEPTH)) {
    throw Malformed.of("log/json", `is not JSON: it nests deeper than ${MAX_DEPTH}`, where);
  }
  try {
    data = new Parser(text, strictInteger, MAX_DEPTH).whole();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const message = error.code === "json/syntax" ? "is not JSON" : `is not JSON: ${error.message}`;
    throw Malformed.of("log/json", message, where);
  }
  return logOf(data, where);
}

/** The log in a value `decodeJson` read: an object in the JSON form, or a string that holds a log in either form. */
export function logOf(data, where = "log") {
  if (typeof data === "string") return parseLog(toBytes(data), where);
  const fields = data instanceof Map ? [...data.keys()].filter((name) => name !== "record").sort() : [];
  if (!sameList(fields, ["level", "moves", "pack", "v"]) || data.get("v") !== 1) {
    throw Malformed.of("log/fields", 'is not {"v":1,"pack":…,"level":…,"record":…,"moves":[…]}', where);
  }
  const [pack, level, moves] = ["pack", "level", "moves"].map((name) => data.get(name));
  const record = data.has("record") ? data.get("record") : "";
  const header = `levelgen-log 1 ${pack}#${level}${data.has("record") ? ` ${record}` : ""}`;
  const fine = typeof pack === "string" && typeof level === "number" && typeof record === "string";
  if (!fine || !HEADER.test(header) || !Array.isArray(moves)) {
    throw Malformed.of("log/fields", "pack, level, record or moves has the wrong type or spelling", where);
  }
  const tokens = moves.map((token) =>
    typeof token === "string" ? token : `${cut(encodeJson(token, " "), 40)} (not a text)`,
  );
  return { pack, level, moves: decodeAll(tokens, (index) => `${where}: move ${index + 1}`, where), record };
}

function decodeAll(tokens, at, where) {
  if (tokens.length > MAX_MOVES) {
    throw Malformed.of("log/too-long", `has ${tokens.length} moves, more than ${MAX_MOVES}`, where);
  }
  const moves = tokens.map(decodeMove);
  const findings = [];
  moves.forEach((found, index) => {
    if (found === null) {
      const message = `cannot read the move ${pyRepr(cut(tokens[index], 40))}`;
      findings.push(finding("log/unparsable-move", message, at(index), FIX));
    }
  });
  if (findings.length) throw new Malformed(findings);
  return moves;
}

/**
 * The whole lines of a saved log, and what was cut short behind them: `{log, torn}`, torn a finding or null.
 *
 * Whatever follows the last line feed was still being written. A log as JSON is whole or it is none.
 */
export function recoverLog(data, where = "log") {
  const first = data.find((byte) => byte !== 32 && (byte < 9 || byte > 13));
  const end = data.lastIndexOf(10) + 1;
  if (first === 123 || end === data.length) return { log: parseLog(data, where), torn: null };
  const whole = data.subarray(0, end);
  const log = parseLog(whole, where);
  const message = `the last line is cut short; its ${data.length - end} bytes are left out`;
  const line = asciiText(whole).split(LINE_END).length;
  return { log, torn: finding("log/torn-line", message, `${where}:${line}:1`) };
}

/** The log as text, twenty moves a line. */
export function logText({ pack, level, moves, record = "" }) {
  const tokens = moves.map(encodeMove);
  const lines = [`levelgen-log 1 ${pack}#${level} ${record}`.trimEnd()];
  for (let begin = 0; begin < tokens.length; begin += 20) lines.push(tokens.slice(begin, begin + 20).join(" "));
  return `${lines.join("\n")}\n`;
}

// ---------------------------------------------------------------------------------------------------------------------
// Replay

const byAid = (numbers) => Object.fromEntries(AIDS.map((aid, place) => [aid, numbers[place]]));

/**
 * A game as it is played: `step` accepts a move or a tool, or says why not; `verdict` is what the log amounts to by now.
 *
 * The context is what only the server knows: `balance` (of undo, hint, shuffle; null is unlimited), `firstCompletion`,
 * `grant`. Without one, `pairs` has no tools and those of `triples` are unlimited.
 */
export class Game {
  constructor(deal, context = null) {
    const unnamed = deal.board.ruleset.id === "pairs" ? 0 : null;
    const { balance = [unnamed, unnamed, unnamed], firstCompletion = false, grant = [0, 0, 0] } = context ?? {};
    Object.assign(this, { balance, firstCompletion, grant });
    /** What undo goes back to; the last one is where the game stands. */
    this.history = [deal.start];
    this.spent = [0, 0, 0];
    this.restarts = 0;
    this.gaveUp = false;
    this.warnings = [];
    this.steps = 0;
    this.peak = deal.start.tray.length;
    this.refused = null;
  }

  get position() {
    return this.history.at(-1);
  }

  /** Why nothing but a retry is accepted any more, or null while the game is on. */
  get over() {
    if (this.gaveUp) return refusal("game-over", "the game was given up");
    const { won, lost } = this.steps ? this.position : {};
    return won || lost ? refusal("game-over", `the game was ${won ? "won" : "lost"} with step ${this.steps}`) : null;
  }

  /** Play a move or use a tool; null when it is accepted, else the refusal, which changes nothing and costs nothing. */
  step(move) {
    this.refused = move.kind in NEEDED ? this.#play(move) : this.#use(move);
    if (this.refused === null) this.steps++;
    if (this.refused === null && move.kind in NEEDED && this.position.warning) {
      this.warnings.push({ step: this.steps, warning: this.position.warning });
    }
    return this.refused;
  }

  #play(move) {
    const { position } = this;
    // Whether the game is lost costs a look at every move: an accepted one proves that it was still on.
    const refused = this.gaveUp ? this.over : position.refusal(move);
    if (refused) return this.over ?? refused;
    this.peak = Math.max(this.peak, position.tray.length + NEEDED[move.kind]);
    this.history.push(position.after(move));
    return null;
  }

  #use({ kind, seed }) {
    const { position, history } = this;
    const pairs = position.deal.board.ruleset.id === "pairs";
    const retry = kind === "restart" && pairs && !this.gaveUp && !position.won;
    const ended = retry ? null : this.over;
    if (ended) return ended;
    if (kind === "give_up") {
      this.gaveUp = true;
      return null;
    }
    if (kind === "restart") {
      this.restarts++;
      // A retry of pairs begins anew and cannot be taken back; the restart of triples can.
      this.history = pairs ? [history[0]] : [...history, history[0]];
      return null;
    }
    const aid = AIDS.indexOf(kind);
    const left = this.balance[aid];
    if (left !== null && left <= this.spent[aid]) {
      return refusal("no-tool", `no ${kind} is left: the balance was ${left}`);
    }
    if (kind === "undo") {
      if (history.length === 1) return refusal("nothing-to-undo", "no move or shuffle has been made");
      history.pop();
    } else if (kind === "shuffle") {
      if (!pairs && position.full) {
        return refusal("tray-full", "a full tray allows undo, restart or giving up only");
      }
      const dealt = shuffle(position, seed);
      if (dealt === null) return refusal("no-winnable-shuffle", "no deal of the tiles left was found that can be won");
      history.push(dealt.start);
    }
    this.spent[aid]++;
    return null;
  }

  /** What `levelgen replay --json` prints of the steps so far, the last refusal included. */
  get verdict() {
    const { position, steps, refused } = this;
    let verdict = "unfinished";
    if (refused) verdict = "refused";
    else if (position.won) verdict = "won";
    else if (this.gaveUp || (steps && position.lost)) verdict = "lost";
    const assisted = this.spent.some((number) => number > 0);
    const progress = verdict === "won" && this.firstCompletion;
    return {
      verdict,
      steps,
      refused: refused && { step: steps + 1, ...refused },
      warnings: this.warnings,
      peak: this.peak,
      assisted,
      spent: byAid(this.spent),
      restarts: this.restarts,
      retry: !this.gaveUp && !position.won,
      gave_up: this.gaveUp,
      best_time: verdict === "won" && !assisted,
      progress,
      earned: byAid(progress ? this.grant : [0, 0, 0]),
      digest: position.digest(),
    };
  }
}

/** Play moves from the start of a deal, up to the first that is refused; the verdict `levelgen replay --json` prints. */
export function replay(deal, moves, context = null) {
  const game = new Game(deal, context);
  for (const move of moves) if (game.step(move)) break;
  return game.verdict;
}

/** What the first completion of a level earns, of each of `AIDS`, by what its manifest says. */
function grantOf(manifest, level) {
  const earned = manifest?.tools?.earned;
  return earned && level % earned.every === 0 ? AIDS.map((aid) => earned[aid]) : [0, 0, 0];
}

/**
 * The context of a game on a level: what the player had, and what a win earns.
 *
 * `had` says how many of each tool by name; for those it does not name the level's record does, and what that does not
 * name either is free in triples and absent in pairs. `first`: the player never completed the level, so that a win
 * earns what `manifest` grants. In a `race` both sides have what `manifest` gives to races, and a win earns nothing.
 */
export function contextOf(record, manifest = null, had = {}, { first = false, race = false } = {}) {
  if (race) {
    const given = manifest?.tools?.race;
    if (!given) throw NothingMatched.of("tools/no-race", "the pack does not say what tools a race gives", record.pack);
    return { balance: AIDS.map((aid) => given[aid]), firstCompletion: false, grant: [0, 0, 0] };
  }
  const unnamed = record.ruleset.id === "triples" ? null : 0;
  const balance = AIDS.map((aid) => had[aid] ?? (record.tools.has(aid) ? record.tools.get(aid) : unnamed));
  return { balance, firstCompletion: first, grant: grantOf(manifest, record.level) };
}

/**
 * The verdict on a log under the rules of its level; without a context, in that of `contextOf(record)`.
 *
 * A log that names another record than this is refused (`other-record`) before its first step.
 */
export function judge(record, log, context = null) {
  if (log.pack !== record.pack || log.level !== record.level) {
    const message = `was played on ${log.pack}#${log.level}, not on ${record.pack}#${record.level}`;
    throw Malformed.of("log/other-level", message, "log", `judge it on PACK#${log.level} of ${log.pack}`);
  }
  const known = context ?? contextOf(record);
  if (!log.record || log.record === record.digest) return replay(record.deal, log.moves, known);
  const message = `played on the record ${log.record}, this one is ${record.digest}`;
  const refused = { step: 0, ...refusal("other-record", message) };
  return { ...replay(record.deal, [], known), verdict: "refused", refused, retry: false };
}

// ---------------------------------------------------------------------------------------------------------------------
// Records

const PACK_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;
const FIGURE = /^[a-z][a-z0-9_]{0,63}$/;
const SEED = /^[ -~]{1,256}$/;
const MAX_COORDINATE = 1023;
const MAX_LEVEL = 999_999_999;
const source = (pattern) => pattern.source.slice(1, -1).replaceAll("\\/", "/");

const aText = (pattern) => (value) =>
  isMatch(value, pattern) ? null : [`is not a text that matches ${source(pattern)}`];
const aCount = (low, high) => (value) =>
  isCount(value, low, high) ? null : [`is not an integer from ${low} to ${high ?? "2^53 - 1"}`];
const aDigest = (value) => (isDigest(value) ? null : ["is not a SHA-256 digest in lowercase hexadecimal"]);
const names = (low, high) => (value) => {
  if (!Array.isArray(value) || value.length < low || value.length > high) {
    return [`is not a list of ${low} to ${high} names`];
  }
  const fine = value.every((name) => isMatch(name, NAME));
  return fine ? null : ["holds something that is not a name", `names are texts that match ${source(NAME)}`];
};

function someIds(value) {
  const fine = Array.isArray(value) && value.length <= MAX_TILES && value.every((id) => isCount(id, 0, MAX_TILES - 1));
  if (!fine) return ["is not a list of tile ids"];
  return value.every((id, place) => !place || value[place - 1] < id)
    ? null
    : ["is not ascending", "sort the ids, each once"];
}

function someFigures(value) {
  if (!(value instanceof Map) || value.size > 256) return ["is not an object of at most 256 figures"];
  for (const [name, figure] of value) {
    if (!isMatch(name, FIGURE) || typeof figure !== "number") {
      return [`holds ${pyRepr(cut(name, 40))}, which is not a figure: a lowercase name and an integer`];
    }
  }
  return isSorted([...value.keys()]) ? null : ["does not keep its names in order"];
}

function someTools(value) {
  if (!(value instanceof Map) || !sameList(AIDS.filter((name) => value.has(name)), [...value.keys()])) {
    return [`is not an object whose keys are among ${AIDS.join(", ")}, in that order`];
  }
  const fine = [...value.values()].every((budget) => budget === null || isCount(budget, 0, 1_000_000));
  return fine ? null : ["holds a budget that is neither a count nor null (no limit)"];
}

const RECORD_CHECKS = {
  pack: aText(PACK_ID),
  level: aCount(1, MAX_LEVEL),
  ruleset: (value) => (value instanceof Map ? null : ["is not an object"]),
  slots: (value) =>
    Array.isArray(value) && value.length >= 1 && value.length <= MAX_TILES
      ? null
      : [`is not a list of 1 to ${MAX_TILES} slots`],
  face_set: aText(NAME),
  faces: names(1, MAX_TILES),
  face_down: someIds,
  templates: names(0, 64),
  seed: aText(SEED),
  attempt: aCount(0),
  generator: aCount(1),
  difficulty: someFigures,
  tools: someTools,
  sources_sha256: aDigest,
  certificate_sha256: aDigest,
};
const RECORD_FIELDS = ["v", ...Object.keys(RECORD_CHECKS)];

function* recordFindings(data, where) {
  if (data.get("v") !== 1) {
    const message = `is of version ${pyRepr(data.get("v"))}; this levelgen reads version 1`;
    yield finding("record/version", message, where);
  }
  let whole = true;
  for (const [name, check] of Object.entries(RECORD_CHECKS)) {
    const problem = check(data.get(name));
    if (problem) {
      whole = false;
      yield finding(`record/${name.replaceAll("_", "-")}`, `${name} ${problem[0]}`, where, problem[1]);
    }
  }
  if (!whole) return;
  const [slots, faces, down] = ["slots", "faces", "face_down"].map((name) => data.get(name));
  if (faces.length !== slots.length) {
    yield finding("record/faces", `faces names ${faces.length} faces for ${slots.length} slots`, where);
  }
  if (down.length && down.at(-1) >= slots.length) {
    const message = `face_down names tile ${down.at(-1)}, the last one is ${slots.length - 1}`;
    yield finding("record/face-down", message, where);
  }
}

/** One level of a pack. `deal` is compiled when it is first asked for. */
export class Record {
  #deal = null;
  #digest = null;
  #line;
  constructor(data, ruleset, line) {
    this.#line = line;
    this.pack = data.get("pack");
    this.level = data.get("level");
    this.ruleset = ruleset;
    this.slots = data.get("slots");
    this.faceSet = data.get("face_set");
    this.faces = data.get("faces");
    this.faceDown = data.get("face_down");
    this.templates = data.get("templates");
    this.seed = data.get("seed");
    this.attempt = data.get("attempt");
    this.generator = data.get("generator");
    this.difficulty = data.get("difficulty");
    this.tools = data.get("tools");
    this.sourcesSha256 = data.get("sources_sha256");
    this.certificateSha256 = data.get("certificate_sha256");
  }
  /** The SHA-256 of the record's line, which a player's log names. */
  get digest() {
    this.#digest ??= sha256Hex(this.#line);
    return this.#digest;
  }
  get deal() {
    this.#deal ??= new Deal(new Board(this.slots, this.ruleset), this.faces, this.faceDown);
    return this.#deal;
  }
}

/** The record in a line (bytes without the line feed). */
export function parseRecord(line, where = "record") {
  const data = decodeJson(line, where, { booleans: false });
  let findings = [...fieldFindings(data, RECORD_FIELDS, where, "record")];
  if (!findings.length) findings = [...recordFindings(data, where)];
  if (findings.length) throw new Malformed(findings);
  const ruleset = wholeRuleset(data.get("ruleset"), where);
  const fine = data
    .get("slots")
    .every((slot) => Array.isArray(slot) && slot.length === 3 && slot.every((n) => isCount(n, 0, MAX_COORDINATE)));
  if (!fine) {
    const message = `slots holds something that is not [x, y, z], three integers from 0 to ${MAX_COORDINATE}`;
    throw Malformed.of("record/slots", message, where);
  }
  return new Record(data, ruleset, line);
}

function wholeRuleset(data, where) {
  try {
    const ruleset = rulesetFrom(data);
    if (encodeJson(rulesetJson(ruleset)) !== encodeJson(data)) {
      throw Malformed.of("ruleset/spelling", "does not spell every parameter once and in order", "ruleset");
    }
    return ruleset;
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new Malformed(error.findings.map((found) => ({ ...found, where: `${where}: ${found.where}` })));
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Merkle tree

export const leafHash = (line) => sha256(concat(Uint8Array.of(0), line));
export const nodeHash = (left, right) => sha256(concat(Uint8Array.of(1), left, right));

/** The root that `path` proves `leaf` to lie under as leaf `index` of `leaves`, or null. */
export function rootFromPath(leaf, index, leaves, path) {
  if (!isCount(index, 0, leaves - 1) || path.some((node) => node.length !== 32)) return null;
  let node = leaf;
  let used = 0;
  for (let size = leaves; size > 1; size = Math.ceil(size / 2), index = Math.floor(index / 2)) {
    const left = index % 2 === 1;
    if (left || index + 1 < size) {
      if (used === path.length) return null;
      const other = path[used++];
      node = left ? nodeHash(other, node) : nodeHash(node, other);
    }
  }
  return used === path.length ? node : null;
}

/** Every row of the tree over these leaf hashes, leaves first. */
export function treeRows(leaves) {
  const rows = leaves.length ? [leaves] : [];
  while (rows.length && rows.at(-1).length > 1) {
    const row = rows.at(-1);
    const next = [];
    for (let place = 0; place < row.length; place += 2) {
      next.push(place + 1 < row.length ? nodeHash(row[place], row[place + 1]) : row[place]);
    }
    rows.push(next);
  }
  return rows;
}

function treeNodes(leaves) {
  let count = leaves;
  for (let size = leaves; size > 1; ) count += size = Math.ceil(size / 2);
  return count;
}

/** The inclusion path of a leaf out of a stored `tree.bin`, `read(begin, end)` its bytes; it proves itself. */
export function pathOf(read, leaves, index) {
  const path = [];
  let start = 0;
  for (let size = leaves; size > 1; size = Math.ceil(size / 2), index = Math.floor(index / 2)) {
    const sibling = index % 2 ? index - 1 : index + 1;
    if (sibling < size) path.push(read(32 * (start + sibling), 32 * (start + sibling + 1)));
    start += size;
  }
  return path;
}

// ---------------------------------------------------------------------------------------------------------------------
// Signatures

export const PAYLOAD_TYPE = "application/vnd.levelgen.manifest.v1+json";
const MAX_ENVELOPE = 8 << 20;
const MAX_SIGNATURES = 16;
const FIELD = (1n << 255n) - 19n;
const ORDER = (1n << 252n) + 27742317777372353535851937790883648493n;
const EIGHT_Y = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
const LOW_ORDER = [0n, 1n, FIELD - 1n, EIGHT_Y, FIELD - EIGHT_Y];
const DEMO_PUBLIC = "f19dce45357ca7c99af6a81a263b36119ebfc73c4bddb9c2948c95bfd20a13b0";

const littleEndian = (bytes) => BigInt(`0x0${toHex(Uint8Array.from(bytes).reverse())}`);

/** The name of a raw public key in an envelope. */
export function keyId(key) {
  const name = sha256Hex(key);
  return toHex(key) === DEMO_PUBLIC ? `DEMONSTRATION-KEY-${name.slice(0, 16)}` : name;
}

/** Why these raw bytes are no key to trust; empty when they are. */
export function publicKeyFindings(key, where = "key") {
  if (key.length !== 32) return [finding("key/length", `has ${key.length} bytes, an Ed25519 key has 32`, where)];
  const y = littleEndian(key) & ((1n << 255n) - 1n);
  if (y >= FIELD) return [finding("key/not-canonical", "does not encode its point canonically", where)];
  if (LOW_ORDER.includes(y)) {
    return [finding("key/low-order", "is a point of low order: it accepts signatures nobody made", where)];
  }
  return [];
}

/**
 * Whose signatures count (raw public keys), and how many distinct keys must have signed. `revoked` are digests of payloads
 * that count no more; `released` maps packs to the only version that counts, null when no release was given.
 */
export class TrustRoot {
  constructor(keys, threshold = 1, { release = false, revoked = [], released = null } = {}) {
    this.revoked = new Set(revoked);
    this.released = released;
    const distinct = new Map(keys.map((key) => [toHex(key), key]));
    this.keys = [...distinct.values()];
    this.threshold = threshold;
    const findings = this.keys.flatMap((key, place) => publicKeyFindings(key, `key ${place + 1}`));
    if (release && distinct.has(DEMO_PUBLIC)) {
      const message = "this is the DEMONSTRATION key, whose private half is public";
      findings.push(finding("key/demonstration", message, "the trust root", "make a key of your own: levelgen keys new"));
    }
    if (!isCount(threshold, 1, this.keys.length) || this.keys.length > 64) {
      const message = `a threshold of ${threshold} cannot be met with ${this.keys.length} distinct keys`;
      findings.push(finding("key/threshold", message));
    }
    if (findings.length) throw new Malformed(findings);
  }

  /** Why a pack with a good signature is not the released one. */
  *packFindings(pack, version, sha256, where = "manifest") {
    if (this.released === null) return;
    const mark = this.released.get(pack);
    if (!mark) {
      yield finding("release/not-released", `${pack} is in no current release`, where, "get the released packs");
    } else if (mark.version !== version) {
      const message = `is version ${version} of ${pack}, released is ${mark.version}`;
      yield finding("release/other-version", message, where, "get the released pack");
    } else if (mark.sha256 !== sha256) {
      const message = `is another version ${version} of ${pack} than the released one`;
      yield finding("release/other-pack", message, where, "get the released pack");
    }
  }

  /** The root of the public keys in a PEM text, any one of which may sign. */
  static fromPem(text, where = "key", options = {}) {
    const blocks = text.match(/-----BEGIN PUBLIC KEY-----[^]*?-----END PUBLIC KEY-----/g) ?? [text];
    return new TrustRoot(blocks.map((block) => publicFromPem(block, where)), 1, options);
  }
}

const SPKI = "302a300506032b6570032100";

function publicFromPem(block, where) {
  const body = /^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]*)-----END PUBLIC KEY-----\s*$/.exec(block);
  const der = body && fromBase64(body[1].replace(/\s/g, ""));
  if (!der || der[0] !== 0x30) throw Malformed.of("key/public", "is not a PEM public key", where);
  if (der.length !== 44 || !toHex(der).startsWith(SPKI)) {
    throw Malformed.of("key/algorithm", "is not an Ed25519 key", where);
  }
  const findings = publicKeyFindings(der.subarray(12), where);
  if (findings.length) throw new Malformed(findings);
  return der.slice(12);
}

/** Trusts the DEMONSTRATION key only, whose private half is public: it proves nothing. */
export const DEMO_TRUST = new TrustRoot([fromHex(DEMO_PUBLIC)]);

let ed25519 = null;

async function requireEd25519() {
  ed25519 ??= (async () => {
    try {
      await globalThis.crypto.subtle.importKey("raw", fromHex(DEMO_PUBLIC), "Ed25519", false, ["verify"]);
      return true;
    } catch {
      return false;
    }
  })();
  if (!(await ed25519)) {
    const message = "this JavaScript cannot check Ed25519 signatures (crypto.subtle lacks them or is missing)";
    throw SystemFailed.of("system/ed25519", message, "", "use Node 20 or later, or a current browser over https");
  }
}

/** Whether this is the Ed25519 signature of `message` under a raw public key, by RFC 8032 and no laxer. */
export async function verifySignature(key, signature, message) {
  await requireEd25519();
  if (signature.length !== 64 || littleEndian(signature.subarray(32)) >= ORDER) return false;
  if (publicKeyFindings(key).length || publicKeyFindings(signature.subarray(0, 32)).length) return false; // A and R
  try {
    const imported = await globalThis.crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await globalThis.crypto.subtle.verify("Ed25519", imported, signature, message);
  } catch {
    return false; // these 32 bytes are no point of the curve
  }
}

/** The bytes that are signed for a payload. */
export function pae(payloadType, payload) {
  const kind = toBytes(payloadType);
  return concat(toBytes(`DSSEv1 ${kind.length} ${payloadType} ${payload.length} `), payload);
}

/** The payload of an envelope once enough distinct keys of `trust` have signed it: `{payload, keys}`. */
export async function openEnvelope(data, trust, { payloadType = PAYLOAD_TYPE, where = "manifest.dsse.json" } = {}) {
  const { payload, signatures } = readEnvelope(data, payloadType, where);
  const message = pae(payloadType, payload);
  const good = new Set();
  for (const [hint, signature] of signatures) {
    const keys = [...trust.keys].sort((a, b) => (keyId(a) !== hint) - (keyId(b) !== hint));
    for (const key of keys) {
      if (!good.has(key) && (await verifySignature(key, signature, message))) {
        good.add(key);
        break;
      }
    }
  }
  if (good.size < trust.threshold) {
    const hints = signatures.map(([hint]) => cut(hint, 80)).join(", ");
    throw Untrusted.of(
      "signature/not-trusted",
      `${good.size} of the trusted keys signed this, ${trust.threshold} must; it says it is signed by ${hints}`,
      where,
      "verify with the public key of whoever made the pack; if that fails too, get the pack again",
    );
  }
  if (trust.revoked.has(sha256Hex(payload))) {
    throw Untrusted.of("signature/revoked", "was revoked by the trust root", where, "get a newer one");
  }
  return { payload, keys: trust.keys.filter((key) => good.has(key)) };
}

/** The payload of an envelope and its signatures; nothing is verified yet. */
function readEnvelope(data, payloadType, where) {
  const envelope = asUntrusted(() => decodeCanonical(data, where, MAX_ENVELOPE));
  const findings = [...envelopeFindings(envelope, payloadType, where)];
  if (findings.length) throw new Untrusted(findings);
  const payload = fromBase64(envelope.get("payload"));
  const signatures = envelope.get("signatures").map((entry) => [entry.get("keyid"), fromBase64(entry.get("sig"))]);
  if (payload === null || signatures.some(([, signature]) => signature === null)) {
    throw Untrusted.of("signature/base64", "is not canonical standard base64", where);
  }
  return { payload, signatures };
}

function* envelopeFindings(envelope, payloadType, where) {
  const found = [...fieldFindings(envelope, ["payload", "payloadType", "signatures"], where, "signature")];
  yield* found;
  if (found.length) return;
  if (envelope.get("payloadType") !== payloadType) {
    yield finding("signature/payload-type", `is not of the type ${payloadType}`, where);
  }
  if (typeof envelope.get("payload") !== "string") yield finding("signature/payload", "the payload is no text", where);
  const signatures = envelope.get("signatures");
  if (!Array.isArray(signatures) || signatures.length < 1 || signatures.length > MAX_SIGNATURES) {
    yield finding("signature/count", `does not carry 1 to ${MAX_SIGNATURES} signatures`, where);
    return;
  }
  for (const [place, entry] of signatures.entries()) {
    const at = `${where}, signature ${place + 1}`;
    const wrong = [...fieldFindings(entry, ["keyid", "sig"], at, "signature")];
    yield* wrong;
    if (!wrong.length && !(typeof entry.get("keyid") === "string" && typeof entry.get("sig") === "string")) {
      yield finding("signature/field", "keyid or sig is no text", at);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Manifest

const MANIFEST_FIELDS = [
  "v", "pack", "title", "version", "previous", "generator", "ruleset_sha256", "face_set", "first", "levels",
  "merkle_root", "files",
];
const TITLE = /^[^\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]{1,200}$/u;

/** The manifest in a payload whose signature has been verified, as an object with the fields of its JSON. */
export function parseManifest(payload, where = "manifest") {
  const data = decodeCanonical(payload, where, MAX_ENVELOPE);
  const fields = data instanceof Map && data.has("tools") ? [...MANIFEST_FIELDS, "tools"] : MANIFEST_FIELDS;
  let findings = [...fieldFindings(data, fields, where, "manifest")];
  if (!findings.length) findings = [...manifestFindings(data, where)];
  if (findings.length) throw new Malformed(findings);
  return {
    ...Object.fromEntries(data),
    face_set: Object.fromEntries(data.get("face_set")),
    files: new Map([...data.get("files")].map(([name, mark]) => [name, Object.fromEntries(mark)])),
    tools: data.has("tools")
      ? Object.fromEntries([...data.get("tools")].map(([name, part]) => [name, Object.fromEntries(part)]))
      : null,
  };
}

/** Whether this is what a manifest says of tools: `earned`, `race` or both, in that order. */
function isAllowance(value) {
  if (!(value instanceof Map) || !value.size) return false;
  if (!sameList([...value.keys()], ["earned", "race"].filter((name) => value.has(name)))) return false;
  const spelt = (part, names) => part instanceof Map && sameList([...part.keys()], names);
  const counted = (part) => AIDS.every((aid) => isCount(part.get(aid), 0, 1_000_000));
  const [earned, race] = [value.get("earned"), value.get("race")];
  if (value.has("earned")) {
    if (!spelt(earned, ["every", ...AIDS]) || !counted(earned)) return false;
    if (!isCount(earned.get("every"), 1, MAX_LEVEL)) return false;
  }
  if (!value.has("race")) return true;
  return spelt(race, [...AIDS, "provisional"]) && typeof race.get("provisional") === "boolean" && counted(race);
}

function* manifestFindings(data, where) {
  if (data.get("v") !== 1) {
    const message = `is of version ${pyRepr(data.get("v"))}; this levelgen reads version 1`;
    yield finding("manifest/version", message, where);
  }
  const checks = {
    pack: (value) => isMatch(value, PACK_ID),
    title: (value) => isMatch(value, TITLE),
    version: (value) => isCount(value, 1),
    previous: (value) => value === null || isDigest(value),
    generator: (value) => isCount(value, 1),
    ruleset_sha256: isDigest,
    face_set: (value) =>
      value instanceof Map &&
      sameList([...value.keys()], ["id", "sha256", "provisional"]) &&
      isMatch(value.get("id"), NAME) &&
      isDigest(value.get("sha256")) &&
      typeof value.get("provisional") === "boolean",
    first: (value) => isCount(value, 1, MAX_LEVEL),
    levels: (value) => isCount(value, 1, 10_000_000),
    merkle_root: isDigest,
    tools: (value) => !data.has("tools") || isAllowance(value),
  };
  for (const [name, check] of Object.entries(checks)) {
    if (!check(data.get(name))) {
      const message = `${name} has the wrong type, spelling or range`;
      yield finding(`manifest/${name.replaceAll("_", "-")}`, message, where);
    }
  }
  const files = data.get("files");
  if (!(files instanceof Map) || !isSorted([...files.keys()]) || !files.has(LEVELS)) {
    yield finding("manifest/files", `files is not an object in the order of its names that lists ${LEVELS}`, where);
    return;
  }
  for (const [name, mark] of files) {
    if (![LEVELS, CERTIFICATES, PREVIEWS].includes(name) && !(isMemberName(name) && name.startsWith("evidence/"))) {
      yield finding("manifest/files", `files lists ${pyRepr(cut(name, 60))}, which is no signed file`, where);
    } else if (
      !(mark instanceof Map) ||
      !sameList([...mark.keys()], ["size", "sha256"]) ||
      !isCount(mark.get("size"), 0, 2 ** 40) ||
      !isDigest(mark.get("sha256"))
    ) {
      yield finding("manifest/files", `${name} is not marked as {"size":…,"sha256":…}`, where);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Containers: members by name, each `{size, read(begin, end)}`

export const MANIFEST = "manifest.dsse.json";
export const LEVELS = "levels.jsonl";
const CERTIFICATES = "certificates.jsonl";
const INDEX = "levels.idx";
const TREE = "tree.bin";
const PREVIEWS = "previews.jsonl";
/** The members a pack may have beside those in its folders. */
export const TOP = [CERTIFICATES, INDEX, LEVELS, MANIFEST, PREVIEWS, TREE];
const IN_FOLDERS = /^(?:previews\/[0-9]{4,9}\.png|evidence\/[a-z0-9](?:[._-]?[a-z0-9]){0,99})$/;

/** Whether a pack can hold a member of this name. */
export const isMemberName = (name) => TOP.includes(name) || IN_FOLDERS.test(name);

/** Bytes in memory as a member, or as the source of an archive. */
export function bytesOf(given) {
  const bytes = new Uint8Array(given.buffer, given.byteOffset, given.length); // what Node reads slices otherwise
  return { size: bytes.length, read: (begin, end) => bytes.subarray(begin, end) };
}
const NOTHING = bytesOf(new Uint8Array());

const wordsOf = (size, fields) => {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let place = 0;
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(place, value, true);
    else view.setUint32(place, value, true);
    place += width;
  }
  return bytes;
};
const shorts = (...values) => values.map((value) => [2, value]);
const longs = (...values) => values.map((value) => [4, value]);

const localHeader = (name, crc, size) =>
  concat(
    wordsOf(30, [...longs(0x04034b50), ...shorts(10, 0, 0, 0, 0x21), ...longs(crc, size, size), ...shorts(name.length, 0)]),
    name,
  );
const centralHeader = (name, crc, size, offset) =>
  concat(
    wordsOf(46, [
      ...longs(0x02014b50),
      ...shorts(0x0314, 10, 0, 0, 0, 0x21),
      ...longs(crc, size, size),
      ...shorts(name.length, 0, 0, 0, 0),
      ...longs(0o100644 * 65536, offset),
    ]),
    name,
  );
const endRecord = (count, size, place) =>
  wordsOf(22, [...longs(0x06054b50), ...shorts(0, 0, count, count), ...longs(size, place), ...shorts(0)]);

/** The members of an `.lgpack`; its structure is checked whole: every byte must be as levelgen writes it. */
export function archiveMembers(file, label = "pack") {
  const refuse = (message, where = "") => {
    const fix = "get the pack again from where it was published";
    throw Untrusted.of("pack/container", message, where ? `${label}/${where}` : label, fix);
  };
  const total = file.size;
  if (total < 22 || total > 4294967294) refuse(`has ${total} bytes, which no .lgpack has`);
  const magic = new DataView(file.read(0, 4).slice().buffer).getUint32(0, true);
  if (magic !== 0x04034b50 && magic !== 0x06054b50) refuse("does not begin as an .lgpack does");
  const last = file.read(total - 22, total).slice();
  const end = new DataView(last.buffer);
  if (end.getUint32(0, true) !== 0x06054b50) {
    refuse("does not end in a directory of its members: truncated, or followed by something");
  }
  const [count, size, start] = [end.getUint16(10, true), end.getUint32(12, true), end.getUint32(16, true)];
  if (count > 65534 || !sameBytes(last, endRecord(count, size, start)) || start + size !== total - 22) {
    refuse("the record at its end is not as levelgen writes it");
  }
  const list = file.read(start, total - 22).slice();
  const view = new DataView(list.buffer);
  const members = new Map();
  let position = 0;
  let entry = 0;
  let before = "";
  for (let number = 0; number < count; number++) {
    if (entry + 46 > list.length) refuse("its list of members is cut short");
    const [flags, method] = [view.getUint16(entry + 8, true), view.getUint16(entry + 10, true)];
    const [crc, packed, bytes] = [16, 20, 24].map((at) => view.getUint32(entry + at, true));
    const raw = list.slice(entry + 46, entry + 46 + view.getUint16(entry + 28, true));
    const name = asciiText(raw);
    if (!isMemberName(name)) refuse(`lists ${pyRepr(cut(name, 60))}, which is not a name in a pack`);
    if (name <= before) refuse("is listed twice or out of order", name);
    if (flags & 1) refuse("is encrypted", name);
    if (method || packed !== bytes) refuse("is compressed; a pack stores its members as they are", name);
    if ((view.getUint32(entry + 38, true) >>> 28) === 0o12) refuse("is a link", name);
    const header = localHeader(raw, crc, bytes);
    const begin = position + header.length;
    if (begin + bytes > total - 22) refuse("is cut short", name);
    const expected = centralHeader(raw, crc, bytes, position);
    if (
      !sameBytes(list.subarray(entry, entry + expected.length), expected) ||
      !sameBytes(file.read(position, begin), header)
    ) {
      refuse("its header is not as levelgen writes it", name);
    }
    members.set(name, { size: bytes, read: (from, to) => file.read(begin + from, Math.min(begin + to, begin + bytes)) });
    position = begin + bytes;
    entry += expected.length;
    before = name;
  }
  if (entry !== list.length || position !== start) refuse("holds bytes that belong to no member");
  return { label, member: (name) => members.get(name) ?? null };
}

/** A pack whose members are given as bytes by name. */
export const memoryMembers = (byName, label = "pack") => ({
  label,
  member: (name) => (isMemberName(name) && Object.hasOwn(byName, name) ? bytesOf(byName[name]) : null),
});

// ---------------------------------------------------------------------------------------------------------------------
// Packs

/** The digest of a ruleset: of its JSON as records spell it. */
export const rulesetDigest = (ruleset) => sha256Hex(toBytes(encodeJson(rulesetJson(ruleset))));

function parseProved(line, level, manifest) {
  const where = `level ${level}`;
  const record = asUntrusted(() => parseRecord(line, where));
  const findings = [];
  if (record.level !== level || record.pack !== manifest.pack) {
    findings.push(finding("record/elsewhere", `calls itself ${record.pack}#${record.level}`, where));
  }
  if (rulesetDigest(record.ruleset) !== manifest.ruleset_sha256) {
    findings.push(finding("record/ruleset", "is of another ruleset than the manifest signs", where));
  }
  if (record.faceSet !== manifest.face_set.id) {
    findings.push(finding("record/face-set", `shows ${record.faceSet}, the manifest ${manifest.face_set.id}`, where));
  }
  if (record.generator !== manifest.generator) {
    findings.push(finding("record/generator", `is of generator ${record.generator}, not ${manifest.generator}`, where));
  }
  if (findings.length) throw new Untrusted(findings);
  return record;
}

const notAMember = (level) =>
  finding("record/not-a-member", "is not the record the manifest signs", `level ${level}`);

/** The record of a level given without its pack (its line and inclusion path), proved to belong to the manifest. */
export function verifyLevel({ level, line, path }, manifest) {
  const root = rootFromPath(leafHash(line), level - manifest.first, manifest.levels, path);
  if (root === null || toHex(root) !== manifest.merkle_root) throw new Untrusted([notAMember(level)]);
  return parseProved(line, level, manifest);
}

/** An opened pack: its signature has been verified; everything else is proved when it is asked for. */
export class Pack {
  constructor(members, manifest, verified) {
    this.label = members.label;
    this.manifest = manifest;
    this.digest = sha256Hex(verified.payload);
    this.keys = verified.keys;
    this.levels = members.member(LEVELS) ?? NOTHING;
    this.index = members.member(INDEX) ?? NOTHING;
    this.tree = members.member(TREE) ?? NOTHING;
  }

  /** The record of a level, proved to be in the signed tree. */
  level(number) {
    return parseProved(this.proof(number).line, number, this.manifest);
  }

  /** A level's record and its inclusion path, proved. */
  proof(number) {
    const { pack, first, levels } = this.manifest;
    const index = number - first;
    if (!isCount(index, 0, levels - 1)) {
      const message = `${pack} has levels ${first} to ${first + levels - 1}`;
      throw NothingMatched.of("pack/no-such-level", message, `level ${number}`, "name one of those");
    }
    let found = this.#stored(index);
    if (found === null) {
      this.#rebuild();
      found = this.#stored(index);
    }
    return { level: number, ...found };
  }

  /** What index and tree lead to, if it proves itself; else null. */
  #stored(index) {
    const { levels, merkle_root: root } = this.manifest;
    if (this.index.size !== 8 * (levels + 1) || this.tree.size !== 32 * treeNodes(levels)) return null;
    const pair = new DataView(this.index.read(8 * index, 8 * index + 16).slice().buffer);
    const [begin, end] = [0, 8].map((at) => Number(pair.getBigUint64(at, true)));
    if (end <= begin || end - begin > MAX_LINE + 1) return null;
    let line = this.levels.read(begin, Math.min(end, this.levels.size));
    if (line.at(-1) === 10) line = line.subarray(0, -1);
    const path = pathOf((from, to) => this.tree.read(from, to), levels, index);
    const proved = rootFromPath(leafHash(line), index, levels, path);
    return proved !== null && toHex(proved) === root ? { line, path } : null;
  }

  #rebuild() {
    const { levels, merkle_root: root, first } = this.manifest;
    const data = this.levels.read(0, this.levels.size);
    const offsets = [0];
    for (let place = data.indexOf(10); place >= 0; place = data.indexOf(10, place + 1)) offsets.push(place + 1);
    if (offsets.at(-1) !== data.length) offsets.push(data.length);
    const leaves = [];
    for (let place = 0; place + 1 < offsets.length; place++) {
      const end = offsets[place + 1];
      leaves.push(leafHash(data.subarray(offsets[place], data[end - 1] === 10 ? end - 1 : end)));
    }
    const rows = treeRows(leaves);
    if (leaves.length === levels && toHex(rows.at(-1)[0]) === root) {
      const index = new DataView(new ArrayBuffer(8 * offsets.length));
      offsets.forEach((offset, place) => index.setBigUint64(8 * place, BigInt(offset), true));
      this.index = bytesOf(new Uint8Array(index.buffer));
      this.tree = bytesOf(concat(...rows.flat()));
      return;
    }
    const findings = [];
    if (leaves.length !== levels) {
      findings.push(finding("tree/count", `holds ${leaves.length} records, the manifest signs ${levels}`, LEVELS));
    }
    const signed = this.#signedLeaves();
    if (signed === null) {
      findings.push(finding("tree/root", "the records do not make the Merkle root the manifest signs", LEVELS));
    } else {
      signed.forEach((leaf, index) => {
        if (index >= leaves.length || !sameBytes(leaf, leaves[index])) findings.push(notAMember(first + index));
      });
    }
    throw new Untrusted(findings);
  }

  /** The leaf row of the stored tree if it makes the signed root, else null. */
  #signedLeaves() {
    const { levels, merkle_root: root } = this.manifest;
    if (this.tree.size !== 32 * treeNodes(levels)) return null;
    const data = this.tree.read(0, 32 * levels);
    const row = Array.from({ length: levels }, (_, place) => data.slice(32 * place, 32 * place + 32));
    return toHex(treeRows(row).at(-1)[0]) === root ? row : null;
  }
}

/** Open a pack: verify its signature, read its manifest, compare the sizes of its files. */
export async function openPack(members, trust) {
  const envelope = members.member(MANIFEST);
  if (envelope === null) throw Untrusted.of("pack/no-manifest", `holds no ${MANIFEST}`, members.label);
  if (envelope.size > MAX_ENVELOPE) {
    throw Untrusted.of("pack/too-long", `has ${envelope.size} bytes, more than ${MAX_ENVELOPE}`, MANIFEST);
  }
  const verified = await openEnvelope(envelope.read(0, envelope.size), trust);
  const manifest = asUntrusted(() => parseManifest(verified.payload));
  const findings = [...trust.packFindings(manifest.pack, manifest.version, sha256Hex(verified.payload), MANIFEST)];
  for (const [name, mark] of manifest.files) {
    const member = members.member(name);
    if (member === null) {
      if (name !== CERTIFICATES && !name.startsWith("evidence/")) {
        findings.push(finding("pack/file-missing", "is missing", name));
      }
    } else if (member.size !== mark.size) {
      const what = member.size < mark.size ? "cut short" : "too long";
      findings.push(finding("pack/file-size", `is ${what}: ${member.size} bytes, the manifest signs ${mark.size}`, name));
    }
  }
  if (findings.length) throw new Untrusted(findings);
  return new Pack(members, manifest, verified);
}

// ---------------------------------------------------------------------------------------------------------------------
// Trust roots and releases

const TRUST = "trust.json";
const TRUST_TYPE = "application/vnd.levelgen.trust.v1+json";
const RELEASE = "release.dsse.json";
const RELEASE_TYPE = "application/vnd.levelgen.release.v1+json";
const ROLES = ["root", "pack", "release"];
const CHANNEL = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const MAX_TRUST = 1 << 20;
const MAX_KEYS = 64;
const MAX_THRESHOLD = 8;
const MAX_REVOKED = 4096;
const MAX_TRUST_VERSION = 1_000_000;
const MAX_TIME = 253_402_300_799;
const MAX_PACKS = 4096;

/** A time in seconds since 1970 as people read it. */
function moment(seconds) {
  const shown = new Date(1000 * Math.min(Math.max(Math.floor(seconds), 0), MAX_TIME)).toISOString();
  return `${shown.slice(0, 10)} ${shown.slice(11, 19)} UTC`;
}

const isVersion1 = (value) => value === 1;
const isDigestList = (value, most) =>
  Array.isArray(value) &&
  value.length <= most &&
  value.every(isDigest) &&
  value.every((item, place) => !place || value[place - 1] < item);

/** The trust root in a payload: who may sign what and until when. Malformed with every fault. */
export function parseTrust(payload, where = TRUST) {
  const data = decodeCanonical(payload, where, MAX_TRUST);
  let findings = [...fieldFindings(data, ["v", "channel", "version", "roles", "revoked"], where, "trust")];
  if (!findings.length) findings = [...trustFindings(data, where)];
  if (findings.length) throw new Malformed(findings);
  const role = (name) => {
    const { keys, threshold, expires } = Object.fromEntries(data.get("roles").get(name));
    return [name, { keys: keys.map(fromHex), threshold, expires }];
  };
  return {
    channel: data.get("channel"),
    version: data.get("version"),
    roles: Object.fromEntries(ROLES.map(role)),
    revoked: Object.fromEntries(data.get("revoked")),
    sha256: sha256Hex(payload),
  };
}

function* trustFindings(data, where) {
  if (!isVersion1(data.get("v"))) {
    yield finding("trust/v", `is of format ${cut(pyRepr(data.get("v")), 20)}; this levelgen reads format 1`, where);
  }
  if (!isMatch(data.get("channel"), CHANNEL)) {
    yield finding("trust/channel", "channel is no name of a channel", where, "write a-z, 0-9, dot, dash");
  }
  if (!isCount(data.get("version"), 1, MAX_TRUST_VERSION)) {
    yield finding("trust/version", `version is no number from 1 to ${MAX_TRUST_VERSION}`, where);
  }
  const revoked = data.get("revoked");
  let wrong = [...fieldFindings(revoked, ["keys", "digests"], where, "trust")];
  yield* wrong;
  for (const name of wrong.length ? [] : ["keys", "digests"]) {
    if (!isDigestList(revoked.get(name), MAX_REVOKED)) {
      const message = `revoked ${name} are not at most ${MAX_REVOKED} hexadecimal texts in order`;
      yield finding("trust/revoked", message, where);
    }
  }
  const gone = !wrong.length && isDigestList(revoked.get("keys"), MAX_REVOKED) ? revoked.get("keys") : [];
  const roles = data.get("roles");
  wrong = [...fieldFindings(roles, ROLES, where, "trust")];
  yield* wrong;
  for (const name of wrong.length ? [] : ROLES) yield* roleFindings(roles.get(name), `${where}, role ${name}`, gone);
}

function* roleFindings(role, where, gone) {
  const wrong = [...fieldFindings(role, ["keys", "threshold", "expires"], where, "trust")];
  yield* wrong;
  if (wrong.length) return;
  if (!isCount(role.get("expires"), 0, MAX_TIME)) {
    yield finding("trust/expires", "expires is no number of seconds since 1970", where);
  }
  const keys = role.get("keys");
  if (Array.isArray(keys) && !keys.length) {
    yield finding("trust/no-key", "has no key", where, "give it one: --root, --pack or --release");
    return;
  }
  if (!isDigestList(keys, MAX_KEYS)) {
    yield finding("trust/keys", `keys are not 1 to ${MAX_KEYS} hexadecimal texts in order, each once`, where);
    return;
  }
  for (const key of keys) {
    yield* publicKeyFindings(fromHex(key), where);
    if (key === DEMO_PUBLIC) {
      const message = "this is the DEMONSTRATION key, whose private half is public";
      yield finding("key/demonstration", message, where, "make a key of your own: levelgen keys new");
    }
  }
  for (const key of keys.filter((key) => gone.includes(key))) {
    yield finding("trust/revoked-key", `names the revoked key ${key.slice(0, 16)}…`, where, "take it out of the role");
  }
  const most = Math.min(keys.length, MAX_THRESHOLD);
  if (!isCount(role.get("threshold"), 1, most)) {
    yield finding("trust/threshold", `the threshold cannot be met: 1 to ${most} with these keys`, where);
  }
}

const signersOf = ({ roles, revoked }, role) =>
  new TrustRoot(roles[role].keys, roles[role].threshold, { revoked: revoked.digests });

/** The keys of a role at the time `now`; Untrusted when the root or the role has expired. */
function rootOf(root, role, now, released = null) {
  const findings = [...new Set(["root", role])]
    .filter((name) => now >= root.roles[name].expires)
    .map((name) => {
      const message = `the role ${name} expired on ${moment(root.roles[name].expires)}, it is ${moment(now)}`;
      const fix = "get a newer trust.json (levelgen trust rotate makes one)";
      return finding("trust/expired", message, `${TRUST} version ${root.version}`, fix);
    });
  if (findings.length) throw new Untrusted(findings);
  const { keys, threshold } = root.roles[role];
  return new TrustRoot(keys, threshold, { revoked: root.revoked.digests, released });
}

/** The next version of `trusted`, signed by enough of its root keys and of its own; without `trusted`, a first one. */
async function openTrust(data, trusted, where) {
  if (data.length > 2 * MAX_TRUST) {
    throw Untrusted.of("trust/too-long", `has ${data.length} bytes, more than ${2 * MAX_TRUST}`, where);
  }
  const options = { payloadType: TRUST_TYPE, where: `${where}, by the old roots` };
  const { payload } = trusted
    ? await openEnvelope(data, signersOf(trusted, "root"), options)
    : readEnvelope(data, TRUST_TYPE, where);
  const found = asUntrusted(() => parseTrust(payload, where));
  await openEnvelope(data, signersOf(found, "root"), { payloadType: TRUST_TYPE, where });
  const findings = trusted ? [...successorFindings(trusted, found, where)] : [];
  if (findings.length) throw new Untrusted(findings);
  return found;
}

function* successorFindings(old, next, where) {
  if (next.channel !== old.channel) {
    yield finding("trust/other-channel", `is of the channel ${next.channel}, not ${old.channel}`, where);
  }
  if (next.version !== old.version + 1) {
    yield finding("trust/not-next", `is version ${next.version}, the next one is ${old.version + 1}`, where);
  }
  if (["keys", "digests"].some((name) => old.revoked[name].some((one) => !next.revoked[name].includes(one)))) {
    yield finding("trust/unrevoked", "takes a revocation back", where, "what is revoked stays revoked");
  }
}

/** The release in a payload: `{channel, version, expires, packs}`, `packs` a Map. Malformed with every fault. */
export function parseRelease(payload, where = RELEASE) {
  const data = decodeCanonical(payload, where, MAX_TRUST);
  let findings = [...fieldFindings(data, ["v", "channel", "version", "expires", "packs"], where, "release")];
  if (!findings.length) {
    const right = {
      v: isVersion1(data.get("v")),
      channel: isMatch(data.get("channel"), CHANNEL),
      version: isCount(data.get("version"), 1),
      expires: isCount(data.get("expires"), 0, MAX_TIME),
      packs: areMarks(data.get("packs")),
    };
    findings = Object.keys(right)
      .filter((name) => !right[name])
      .map((name) => finding(`release/${name}`, `${name} has the wrong type, spelling, order or range`, where));
  }
  if (findings.length) throw new Malformed(findings);
  const packs = new Map([...data.get("packs")].map(([name, mark]) => [name, Object.fromEntries(mark)]));
  return { ...Object.fromEntries(data), packs };
}

const isMark = (mark) =>
  mark instanceof Map &&
  sameList([...mark.keys()], ["version", "sha256"]) &&
  isCount(mark.get("version"), 1) &&
  isDigest(mark.get("sha256"));

const areMarks = (packs) =>
  packs instanceof Map &&
  packs.size <= MAX_PACKS &&
  isSorted([...packs.keys()]) &&
  [...packs].every(([name, mark]) => isMatch(name, PACK_ID) && isMark(mark));

/** What an earlier visit remembered, as `encodeJson(accepted.seen)` spelt it. */
export function parseSeen(data, where = "state") {
  const line = data.at(-1) === 10 ? data.subarray(0, -1) : data;
  const value = decodeCanonical(line, where);
  const fix = "restore it; without it an older release than the last one seen would be accepted once";
  let findings = [...fieldFindings(value, ["v", "channel", "trust", "release"], where, "state")];
  if (!findings.length && !isSeen(value)) {
    findings = [finding("state/field", "a field has the wrong type, spelling or range", where)];
  }
  if (findings.length) throw new Malformed(findings.map(({ code, message, where }) => finding(code, message, where, fix)));
  const trust = Object.fromEntries(value.get("trust"));
  return { ...Object.fromEntries(value), trust, release: Object.fromEntries(value.get("release")) };
}

function isSeen(value) {
  const [trust, release] = [value.get("trust"), value.get("release")];
  return (
    isVersion1(value.get("v")) &&
    isMatch(value.get("channel"), CHANNEL) &&
    isMark(trust) &&
    trust.get("version") <= MAX_TRUST_VERSION &&
    release instanceof Map &&
    sameList([...release.keys()], ["version", "sha256", "keys"]) &&
    isMark(new Map([...release].slice(0, 2))) &&
    Array.isArray(release.get("keys")) &&
    isCount(release.get("keys").length, 1, MAX_KEYS) &&
    release.get("keys").every(isDigest)
  );
}

/**
 * Accept a release: `trust` is the trust root the caller was given, `chain` the versions that followed it, `now` the time in
 * seconds since 1970, `seen` what the last visit remembered. Gives `{trust, release, packs, seen}`: `packs` opens the
 * released packs and no others, `seen` is to be kept. Untrusted when anything does not hold, has expired or is older.
 */
export async function acceptRelease(trust, release, now, { chain = [], seen = null } = {}) {
  const documents = [await openTrust(trust, null, TRUST)];
  for (const data of chain) {
    const last = documents.at(-1);
    documents.push(await openTrust(data, last, `${last.version + 1}.${TRUST}`));
  }
  const newest = documents.at(-1);
  let findings = seen ? [...seenTrustFindings(documents, seen)] : [];
  if (findings.length) throw new Untrusted(findings);
  const options = { payloadType: RELEASE_TYPE, where: RELEASE };
  const verified = await openEnvelope(release, rootOf(newest, "release", now), options);
  const found = asUntrusted(() => parseRelease(verified.payload));
  const sha256 = sha256Hex(verified.payload);
  findings = [...seenReleaseFindings(found, sha256, newest, now, seen)];
  if (findings.length) throw new Untrusted(findings);
  const role = newest.roles.release.keys.map(toHex);
  const again = seen?.release.sha256 === sha256 ? seen.release.keys.filter((key) => role.includes(key)) : [];
  const keys = [...new Set([...verified.keys.map(toHex), ...again])].sort();
  const remembered = {
    v: 1,
    channel: newest.channel,
    trust: { version: newest.version, sha256: newest.sha256 },
    release: { version: found.version, sha256, keys },
  };
  return { trust: newest, release: found, packs: rootOf(newest, "pack", now, found.packs), seen: remembered };
}

function* seenTrustFindings(documents, seen) {
  const newest = documents.at(-1);
  if (newest.channel !== seen.channel) {
    yield finding("trust/other-channel", `is of the channel ${newest.channel}, seen was ${seen.channel}`, TRUST);
  } else if (newest.version < seen.trust.version) {
    const message = `is version ${newest.version}, version ${seen.trust.version} was seen`;
    yield finding("trust/rollback", message, TRUST, "get the newest trust.json and the versions before it");
  } else if (documents.some(({ version, sha256 }) => version === seen.trust.version && sha256 !== seen.trust.sha256)) {
    yield finding("trust/other", `version ${seen.trust.version} is not the one that was seen`, TRUST);
  }
}

function* seenReleaseFindings(release, sha256, trust, now, seen) {
  if (release.channel !== trust.channel) {
    yield finding("release/other-channel", `is of the channel ${release.channel}, not ${trust.channel}`, RELEASE);
  }
  if (now >= release.expires) {
    const message = `expired on ${moment(release.expires)}, it is ${moment(now)}`;
    yield finding("release/expired", message, RELEASE, "get a newer one; whoever publishes: levelgen publish");
  }
  // What was seen counts while those who signed it are trusted: so a channel recovers from a stolen key.
  const { keys, threshold } = trust.roles.release;
  const signed = keys.filter((key) => seen?.release.keys.includes(toHex(key))).length;
  if (!seen || signed < threshold || trust.revoked.digests.includes(seen.release.sha256)) return;
  if (release.version < seen.release.version) {
    const message = `is version ${release.version}, version ${seen.release.version} was seen`;
    yield finding("release/rollback", message, RELEASE, "get the newest release");
  } else if (release.version === seen.release.version && sha256 !== seen.release.sha256) {
    const message = `is another version ${release.version} than the one that was seen`;
    yield finding("release/other", message, RELEASE);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Deals of the day

/** The date in Asia/Kathmandu (UTC+05:45 all year) at a moment in milliseconds since 1970, as `YYYY-MM-DD`. */
export const kathmanduDate = (milliseconds) => new Date(milliseconds + 345 * 60_000).toISOString().slice(0, 10);

/** The seed of the deal of a day. */
export const dailySeed = (channel, tier, date) => `${channel}/${tier}/${date}`;

const daysSince = (start, date) => (Date.parse(`${date}T00:00:00Z`) - Date.parse(`${start}T00:00:00Z`)) / 86_400_000;

/** The number of a day's level in a pack whose level `first` is the first of the tiers of the day `start`. */
export const dailyNumber = (first, start, tiers, tier, date) =>
  first + daysSince(start, date) * tiers.length + tiers.indexOf(tier);

/** The record of the deal of that day in a pack of deals of the day, proved to be that one. */
export function dailyLevel(pack, tier, date) {
  const { pack: name, first, levels } = pack.manifest;
  const named = (number) => /([^/]+)\/([0-9]{4}-[0-9]{2}-[0-9]{2})$/.exec(pack.level(number).seed)?.slice(1) ?? [];
  const [, start] = named(first);
  const tiers = [];
  for (let number = first; start && number < first + Math.min(levels, 64) && named(number)[1] === start; number++) {
    tiers.push(named(number)[0]);
  }
  const number = tiers.includes(tier) ? dailyNumber(first, start, tiers, tier, date) : 0;
  if (number >= first && number < first + levels && sameList(named(number), [tier, date])) return pack.level(number);
  throw NothingMatched.of("daily/not-here", `${name} holds no deal ${tier} of ${date}`, pack.label);
}
