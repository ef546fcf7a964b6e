// A hint without a solver: the certificate as far as it still holds, then a small search. Whatever is shown has been
// played to a win by the law; what was not found is not called impossible unless everything was tried.

const HINT = { tries: 400, nodes: 6000 };

/** `{move, how}`; `{none: true}` when every line was tried and none wins; null when nothing is known. */
function hintFor(level, position) {
  const found = position.deal.board.ruleset.id === "pairs" ? pairsHint(level, position) : picksHint(level, position);
  return found ?? searched(position);
}

/** The tiles of the certificate in the order in which they leave. */
const leaving = (level) => [...new Set((level.moves ?? []).flatMap((move) => move.tiles))];

function picksHint(level, position) {
  const left = new Set(law.tilesOf(position.remaining));
  const picks = leaving(level).filter((tile) => left.has(tile)).map((tile) => ({ kind: "pick", tiles: [tile], seed: "" }));
  let reached = position;
  for (const pick of picks) {
    if (reached.refusal(pick)) return null;
    reached = reached.after(pick);
  }
  return picks.length && reached.won ? { move: picks[0], how: "as the certificate goes on" } : null;
}

/** Pair the tiles left up as the certificate does, the others somehow; with every pair fixed, greed decides. */
function pairsHint(level, position) {
  const { faces } = position.deal;
  const left = new Set(law.tilesOf(position.remaining));
  const pairs = [];
  const order = leaving(level);
  for (let at = 0; at + 1 < order.length; at += 2) {
    const [one, other] = [order[at], order[at + 1]];
    if (!left.has(one) || !left.has(other) || faces[one] !== faces[other]) continue;
    pairs.push([one, other]);
    left.delete(one);
    left.delete(other);
  }
  const certified = pairs.length;
  const stream = new law.Stream(level.name, "hint");
  for (let attempt = 0; attempt < HINT.tries; attempt++) {
    const byFace = new Map();
    for (const tile of stream.shuffle([...left])) byFace.set(faces[tile], [...(byFace.get(faces[tile]) ?? []), tile]);
    const chosen = [...pairs];
    for (const [face, tiles] of byFace) {
      const single = position.tray.includes(face) ? [tiles.pop()] : null;
      if (single?.[0] !== undefined) chosen.unshift(single);
      for (let at = 0; at < tiles.length; at += 2) chosen.push(tiles.slice(at, at + 2));
    }
    const { move, stuck } = greedily(position, chosen);
    if (move) return { move, how: attempt === 0 && certified ? "as the certificate goes on" : "found by trying other pairs" };
    // The pairs that got stuck are taken apart, so that the next attempt makes others of them.
    let freed = 0;
    for (const pair of stuck.filter((group) => group.length === 2 && (stream.below(3) === 0 || attempt === 0))) {
      const at = pairs.indexOf(pair);
      if (at < 0) continue;
      pairs.splice(at, 1);
      pair.forEach((tile) => left.add(tile));
      freed++;
    }
    if (!freed && ![...byFace.values()].some((tiles) => tiles.length > 2)) break;
  }
  return null;
}

/** Play every group as soon as it can leave; the first move if that wins, and the groups that never could. */
function greedily(position, groups) {
  let waiting = groups;
  let reached = position;
  let first = null;
  const go = (move) => {
    if (reached.refusal(move)) return false;
    first ??= move;
    reached = reached.after(move);
    return true;
  };
  for (let before = -1; waiting.length && waiting.length !== before; ) {
    before = waiting.length;
    waiting = waiting.filter((tiles) => !leave(tiles));
  }
  return { move: reached.won ? first : null, stuck: waiting };

  function leave(tiles) {
    const { board } = reached.deal;
    if (!tiles.every((tile) => board.isOpen(tile, reached.remaining))) return false;
    const down = new Set(law.tilesOf(reached.hidden));
    const hidden = tiles.filter((tile) => down.has(tile));
    const mode = board.ruleset.face_down;
    if (hidden.length && !hidden.every((tile) => go({ kind: mode, tiles: [tile], seed: "" }))) return false;
    if (mode === "lift") {
      const shown = tiles.filter((tile) => !hidden.includes(tile));
      if (!shown.length) return true;
      if (hidden.length || tiles.length === 1) return go({ kind: "match", tiles: shown, seed: "" });
    } else if (tiles.length === 1) {
      return go({ kind: "match", tiles, seed: "" });
    }
    return go({ kind: "pair", tiles: [...tiles].sort((a, b) => a - b), seed: "" });
  }
}

/** Depth first over the law's own moves, tiles that complete a group first. */
function searched(start) {
  const seen = new Set();
  const name = (position) => `${position.remaining.join(",")}/${position.hidden.join(",")}/${position.tray.join(",")}`;
  const worth = (position, move) => {
    const face = position.deal.faces[move.tiles[0]];
    return move.kind === "pair" || move.kind === "match" ? 9 : position.tray.filter((other) => other === face).length;
  };
  const sorted = (position) =>
    [...position.moves()].map((move) => [worth(position, move), move]).sort((a, b) => a[0] - b[0]).map(([, move]) => move);
  const stack = [{ position: start, moves: sorted(start) }];
  seen.add(name(start));
  while (stack.length) {
    const top = stack.at(-1);
    const move = top.moves.pop();
    if (move === undefined) {
      stack.pop();
      continue;
    }
    const position = top.position.after(move);
    if (stack.length === 1) top.first = move;
    if (position.won) return { move: stack[0].first, how: "found by search" };
    const key = name(position);
    if (seen.has(key)) continue;
    if (seen.size >= HINT.nodes) return null;
    seen.add(key);
    stack.push({ position, moves: sorted(position) });
  }
  return { none: true };
}
