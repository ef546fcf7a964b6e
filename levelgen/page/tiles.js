// Boards on a canvas, drawn as previews are: layer by layer from below, each layer shifted by the thickness of a tile
// and casting its shadow, tiles in the order of x + y. All measures here are device pixels.

/** The measures of a tile whose plate has this side; the more layers, the thinner it is. */
function cutOf(side, layers) {
  const below = Math.max(1, Math.min(Math.floor((side * 13) / 100), Math.floor(Math.floor((side * 9) / 10) / Math.max(1, layers))));
  return { side, right: Math.max(1, Math.floor((below * 6) / 10)), below };
}

/** The upper left corner of each plate, the leftmost and the topmost one at 0, and the size of the whole. */
function placed(slots, cut) {
  const half = cut.side / 2;
  const raw = slots.map(([x, y, z]) => [x * half - z * cut.right, y * half - z * cut.below]);
  const left = raw.reduce((least, [x]) => Math.min(least, x), Infinity);
  const top = raw.reduce((least, [, y]) => Math.min(least, y), Infinity);
  const corners = raw.map(([x, y]) => [x - left, y - top]);
  const width = corners.reduce((most, [x]) => Math.max(most, x), 0) + cut.side + cut.right;
  const height = corners.reduce((most, [, y]) => Math.max(most, y), 0) + cut.side + cut.below;
  return { corners, width, height };
}

/** The largest tiles with which the board fits into this room. */
function fitted(slots, layers, width, height, largest) {
  for (let side = Math.max(4, largest - (largest % 2)); side > 4; side -= 2) {
    const cut = cutOf(side, layers);
    const place = placed(slots, cut);
    if (place.width <= width && place.height <= height) return { cut, ...place };
  }
  const cut = cutOf(4, layers);
  return { cut, ...placed(slots, cut) };
}

const layersOf = (slots) => slots.reduce((most, [, , z]) => Math.max(most, z + 1), 0);

const sheet = (width, height) => Object.assign(document.createElement("canvas"), { width, height });

/** `picture` on a canvas of this size; halved step by step, so that nothing is skipped. */
function scaled(picture, width, height) {
  let from = picture;
  let [w, h] = [picture.naturalWidth ?? picture.width, picture.naturalHeight ?? picture.height];
  while (w >= 2 * width && h >= 2 * height && w > 2 && h > 2) {
    [w, h] = [Math.ceil(w / 2), Math.ceil(h / 2)];
    const half = sheet(w, h);
    half.getContext("2d").drawImage(from, 0, 0, w, h);
    from = half;
  }
  const done = sheet(width, height);
  const pen = done.getContext("2d");
  pen.imageSmoothingQuality = "high";
  pen.drawImage(from, 0, 0, width, height);
  return done;
}

/** A data URL as a picture that can be drawn at once. */
async function decoded(url) {
  const picture = new Image();
  picture.src = url;
  await picture.decode();
  return picture;
}

/** The tiles of one theme, each prepared once for every size. */
class Look {
  static KEPT = 3000;

  constructor(theme, bodies, pictures) {
    Object.assign(this, { theme, bodies, pictures });
    this.kept = new Map();
  }

  static async load(theme, pictures) {
    const bodies = {};
    for (const [layers, { body, back }] of Object.entries(theme.bodies)) {
      bodies[layers] = { body: await decoded(body), back: await decoded(back) };
    }
    return new Look(theme, bodies, pictures);
  }

  /** The tile that shows `face`, its back for null; its upper left corner is the plate's. */
  tile(face, cut, layers, dimmed = false) {
    const key = `${face} ${cut.side} ${layers} ${dimmed}`;
    let found = this.kept.get(key);
    if (found === undefined) {
      found = dimmed ? this.#dim(this.tile(face, cut, layers)) : this.#drawn(face, cut, layers);
      if (this.kept.size >= Look.KEPT) this.kept.clear();
      this.kept.set(key, found);
    }
    return found;
  }

  #drawn(face, cut, layers) {
    const { body, back } = this.bodies[layers] ?? this.bodies[Object.keys(this.bodies).at(-1)];
    const tile = scaled(face === null ? back : body, cut.side + cut.right, cut.side + cut.below);
    if (face === null) return tile;
    const box = Math.max(1, Math.floor((cut.side * this.theme.picture_percent) / 100));
    const corner = Math.floor((cut.side - box) / 2);
    const pen = tile.getContext("2d");
    if (this.pictures[face]) {
      pen.drawImage(scaled(this.pictures[face], box, box), corner, corner);
    } else {
      pen.fillStyle = "#3a3326";
      pen.font = `600 ${Math.max(6, Math.floor(cut.side / 4))}px system-ui, sans-serif`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(face, cut.side / 2, cut.side / 2, box);
    }
    return tile;
  }

  /** As a blocked tile: a little of its colour drained, all of it darker. */
  #dim(bright) {
    const dark = sheet(bright.width, bright.height);
    const pen = dark.getContext("2d");
    pen.drawImage(bright, 0, 0);
    const pixels = pen.getImageData(0, 0, dark.width, dark.height);
    const { data } = pixels;
    const [red, green, blue] = this.theme.dim;
    for (let at = 0; at < data.length; at += 4) {
      const grey = (data[at] * 299 + data[at + 1] * 587 + data[at + 2] * 114) / 1000;
      data[at] = ((data[at] * 200 + grey * 56) / 256) * (red / 256);
      data[at + 1] = ((data[at + 1] * 200 + grey * 56) / 256) * (green / 256);
      data[at + 2] = ((data[at + 2] * 200 + grey * 56) / 256) * (blue / 256);
    }
    pen.putImageData(pixels, 0, 0);
    return dark;
  }
}

/**
 * Draw a board: `place` as `fitted` gives it, `tiles` the ids to draw, `faceOf(tile)` null for what lies face down,
 * `isOpen(tile)` false for what is drawn dimmed, at the corner `origin`.
 */
function drawBoard(pen, look, { slots, layers, place, origin, tiles, faceOf, isOpen }) {
  const { cut, corners } = place;
  const byLayer = new Map();
  for (const tile of tiles) {
    const z = slots[tile][2];
    if (!byLayer.has(z)) byLayer.set(z, []);
    byLayer.get(z).push(tile);
  }
  const at = (tile) => [origin[0] + corners[tile][0], origin[1] + corners[tile][1]];
  for (const z of [...byLayer.keys()].sort((a, b) => a - b)) {
    const layer = byLayer.get(z);
    castShadow(pen, cut, layer.map(at));
    layer.sort((a, b) => slots[a][0] + slots[a][1] - slots[b][0] - slots[b][1] || a - b);
    for (const tile of layer) pen.drawImage(look.tile(faceOf(tile), cut, layers, !isOpen(tile)), ...at(tile));
  }
}

/** Darken what lies under a layer, once where shadows of neighbours meet. */
function castShadow(pen, cut, corners) {
  const soft = Math.max(2, Math.floor(cut.side / 14));
  const drop = Math.max(2, Math.floor(cut.side / 16));
  const away = 20000;
  pen.save();
  pen.shadowColor = "rgba(4, 10, 22, 0.59)";
  pen.shadowBlur = 1.3 * soft;
  pen.shadowOffsetX = away + cut.right + drop;
  pen.shadowOffsetY = cut.below + drop + Math.floor(drop / 2);
  pen.beginPath();
  for (const [x, y] of corners) pen.roundRect(x - away, y, cut.side, cut.side, cut.side * 0.15);
  pen.fill();
  pen.restore();
}
