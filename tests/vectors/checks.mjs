// How an implementation is held to the conformance vectors: each case's wanted answer and the one it gives. This module
// needs the language only, so that browsers run it as well; `conform.mjs` runs it under Node.
import * as levelgen from "../../levelgen/clients/levelgen.mjs";

const { toBytes, toHex, fromHex, fromBase64, sha256Hex } = levelgen;

function bytesOf({ text, base64, repeat }) {
  if (repeat) return toBytes(repeat.map(([piece, times]) => piece.repeat(times)).join(""));
  return text === undefined ? fromBase64(base64) : toBytes(text);
}

/** What `work` gives, or the codes with which it is refused. */
async function codesOf(work) {
  try {
    return { value: await work(), codes: [] };
  } catch (error) {
    if (!(error instanceof levelgen.LevelgenError)) throw error;
    return { codes: error.findings.map(({ code }) => code) };
  }
}

async function placesOf(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof levelgen.LevelgenError)) throw error;
    return { refused: error.findings.map(({ code, where }) => ({ code, where })) };
  }
}

const movesOf = (text) => text.split(" ").filter(Boolean).map(levelgen.decodeMove);
const logJson = ({ pack, level, moves, record }) => ({
  v: 1,
  pack,
  level,
  ...(record ? { record } : {}),
  moves: moves.map(levelgen.encodeMove),
});
const contextOf = (context) =>
  context && { balance: context.balance, grant: context.grant, firstCompletion: context.first_completion };

function stateOf(position) {
  return {
    open: position.openTiles(),
    moves: [...position.moves()].map(levelgen.encodeMove),
    tray: position.tray,
    warning: position.warning,
    won: position.won,
    lost: position.lost,
    digest: position.digest(),
  };
}

/** Per file: what a case must be answered with, and what we answer; a case without `refused` is not refused. */
const CHECKS = {
  streams: ({ seed, label, words, below, shuffle }) => {
    const [plain, drawn, mixed] = [0, 1, 2].map(() => new levelgen.Stream(seed, label));
    const items = shuffle.map((_, place) => place);
    return [
      [words, below, shuffle],
      [words.map(() => plain.word()), below.map(([n]) => [n, drawn.below(n)]), mixed.shuffle(items)],
    ];
  },
  gates: ({ slots, blocking, gates }) => [gates, levelgen.gates(slots, blocking)],
  plays: ({ board, start, steps }) => {
    let position = levelgen.dealOf(board).start;
    const found = [stateOf(position)];
    for (const { move } of steps) {
      const decoded = levelgen.decodeMove(move);
      const refused = position.refusal(decoded);
      if (!refused) position = position.after(decoded);
      found.push({ move, refused, ...(refused ? {} : stateOf(position)) });
    }
    return [[start, ...steps], found];
  },
  verdicts: ({ board, context, log, verdict }) => [
    verdict,
    levelgen.replay(levelgen.dealOf(board), movesOf(log), contextOf(context)),
  ],
  shuffles: ({ board, seed, faces }) => {
    const dealt = levelgen.shuffle(levelgen.dealOf(board).start, seed);
    return [faces, dealt && dealt.faces];
  },
  logs: async (given) => {
    const { log, refused } = given;
    return [refused ? { refused } : { log }, await placesOf(() => ({ log: logJson(levelgen.parseLog(bytesOf(given))) }))];
  },
  saved: async (given) => {
    const { log, torn, refused } = given;
    const found = await placesOf(() => {
      const saved = levelgen.recoverLog(bytesOf(given));
      const { code, where } = saved.torn ?? {};
      return { log: logJson(saved.log), torn: saved.torn && { code, where } };
    });
    return [refused ? { refused } : { log, torn }, found];
  },
  json: async (given) => {
    const data = bytesOf(given);
    const { value, codes } = await codesOf(() => levelgen.decodeJson(data, "text"));
    if (given.refused) return [given.refused, codes];
    return [given.canonical, levelgen.sameBytes(toBytes(levelgen.encodeJson(value)), data)];
  },
  records: async (given) => {
    const { value, codes } = await codesOf(() => levelgen.parseRecord(bytesOf(given)));
    if (given.refused || codes.length) return [given.refused, codes];
    return [given.record, [value.pack, value.level, value.slots.length, levelgen.rulesetDigest(value.ruleset)]];
  },
  merkle: ({ lines, root, tree_sha256: digest, paths }) => {
    const rows = levelgen.treeRows(lines.map((line) => levelgen.leafHash(toBytes(line))));
    const tree = levelgen.concat(...rows.flat());
    const found = lines.map((_, index) => levelgen.pathOf((from, to) => tree.slice(from, to), lines.length, index));
    return [
      [root, digest, paths],
      [toHex(rows.at(-1)[0]), sha256Hex(tree), found.map((path) => path.map(toHex))],
    ];
  },
  inclusions: ({ leaf, index, leaves, path, root, good }) => {
    const found = levelgen.rootFromPath(fromHex(leaf), index, leaves, path.map(fromHex));
    return [good, found !== null && toHex(found) === root];
  },
  keys: ({ key, keyid, refused }) => [
    [keyid, refused],
    [levelgen.keyId(fromHex(key)), levelgen.publicKeyFindings(fromHex(key)).map(({ code }) => code)],
  ],
  signatures: async ({ key, message, signature, good }) => [
    good,
    await levelgen.verifySignature(fromHex(key), fromHex(signature), fromHex(message)),
  ],
  envelopes: async (given) => {
    if (given.pae) return [given.pae[2], new TextDecoder().decode(levelgen.pae(given.pae[0], toBytes(given.pae[1])))];
    const trust = new levelgen.TrustRoot(given.keys.map(fromHex), given.threshold);
    const { value, codes } = await codesOf(() => levelgen.openEnvelope(bytesOf(given), trust));
    return [given.refused ?? given.payload, value ? new TextDecoder().decode(value.payload) : codes];
  },
  releases: async ({ trust, chain, release, seen, now, refused, remember, pack_keys, others }) => {
    const { value, codes } = await codesOf(() => {
      const options = { chain: chain.map(toBytes), seen: seen && levelgen.parseSeen(toBytes(seen)) };
      return levelgen.acceptRelease(toBytes(trust), toBytes(release), now, options);
    });
    if (!value) return [refused, codes];
    const strange = [["tiny", 99, "ab"], ["tiny", value.release.version, "cd"], ["giant", 1, "ab"]];
    const found = strange.flatMap(([name, version, byte]) => [...value.packs.packFindings(name, version, byte.repeat(32))]);
    return [
      [remember, pack_keys, others.refused],
      [levelgen.encodeJson(value.seen), value.packs.keys.map(toHex), found.map(({ code }) => code)],
    ];
  },
  manifests: async (given) => [given.refused, (await codesOf(() => levelgen.parseManifest(bytesOf(given)))).codes],
  contexts: async ({ manifest, line, known: { balance = {}, ...known }, context, refused }) => {
    const { value, codes } = await codesOf(() =>
      levelgen.contextOf(levelgen.parseRecord(toBytes(line)), levelgen.parseManifest(toBytes(manifest)), balance, known),
    );
    const found = value && { balance: value.balance, grant: value.grant, first_completion: value.firstCompletion };
    return [refused ?? context, found ?? codes];
  },
  levels: async ({ manifest, level, line, path, refused }) => {
    const signed = levelgen.parseManifest(toBytes(manifest));
    const proof = { level, line: toBytes(line), path: path.map(fromHex) };
    return [refused, (await codesOf(() => levelgen.verifyLevel(proof, signed))).codes];
  },
  packs: async ({ archive, key, level, log, verdict, refused }) => {
    const { value, codes } = await codesOf(async () => {
      const members = levelgen.archiveMembers(levelgen.bytesOf(fromBase64(archive)));
      const pack = await levelgen.openPack(members, new levelgen.TrustRoot([fromHex(key)]));
      return levelgen.judge(pack.level(level), levelgen.parseLog(toBytes(log)));
    });
    return [refused ?? verdict, value ?? codes];
  },
  daily: ({ unix, date, channel, seeds, first, start, numbers }) => {
    const tiers = Object.keys(seeds);
    const byTier = (answer) => Object.fromEntries(tiers.map((tier) => [tier, answer(tier)]));
    return [
      [date, seeds, numbers],
      [
        levelgen.kathmanduDate(unix * 1000),
        byTier((tier) => levelgen.dailySeed(channel, tier, date)),
        byTier((tier) => levelgen.dailyNumber(first, start, tiers, tier, date)),
      ],
    ];
  },
};

/**
 * Every case of every file that `read(name)` gives the bytes of: how many hold, by file, and what is wrong with others.
 */
export async function conform(read) {
  const { files } = JSON.parse(new TextDecoder().decode(await read("index.json")));
  const counts = {};
  const wrong = [];
  for (const [name, { sha256 }] of Object.entries(files)) {
    const raw = await read(name);
    if (sha256Hex(raw) !== sha256) throw new Error(`${name} is not the file the index lists`);
    const data = JSON.parse(new TextDecoder().decode(raw));
    const check = CHECKS[name.replace(/\.json$/, "")];
    if (!check) throw new Error(`nothing here checks ${name}`);
    counts[name] = 0;
    for (const [place, given] of (data.cases ?? data).entries()) {
      const [wanted, found] = (await check(given)).map((answer) => JSON.stringify(answer ?? null));
      if (wanted === found) counts[name]++;
      else wrong.push(`${name}, case ${place + 1} ${given.name ?? ""}\n  wanted ${wanted}\n  found  ${found}`.slice(0, 3000));
    }
  }
  return { counts, wrong };
}
