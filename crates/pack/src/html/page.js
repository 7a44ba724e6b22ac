"use strict";

// Where things stand in the rows of the data.
const FOLDER = { parent: 0, name: 1, tokens: 2, leftOut: 3, files: 4 };
const FILE = { folder: 0, name: 1, tokens: 2, bytes: 3, state: 4, note: 5 };
const EXCLUDED = 4;
const BYTES_PER_TOKEN = 4;
const MOST_TILES = 250;
const MOST_ROWS = 300;

// The sides of a squarified treemap (Bruls, Huizing, van Wijk): rows along the shorter side, each as long as its tiles
// become squarer. Takes sizes in falling order and gives [x, y, width, height] for each, in the order of the sizes.
function squarify(sizes, width, height) {
  const boxes = [];
  let total = sizes.reduce((sum, size) => sum + size, 0);
  let [x, y, w, h] = [0, 0, width, height];
  let at = 0;
  while (at < sizes.length && total > 0) {
    const side = Math.min(w, h);
    const scale = (w * h) / total;
    let end = at;
    let sum = 0;
    let worst = Infinity;
    while (end < sizes.length) {
      const next = sum + sizes[end];
      const thickness = (next * scale) / side;
      const ratio = (size) => Math.max(((size * scale) / thickness) / thickness, thickness / ((size * scale) / thickness));
      const candidate = Math.max(ratio(sizes[at]), ratio(sizes[end]));
      if (candidate > worst) break;
      worst = candidate;
      sum = next;
      end += 1;
    }
    if (end === at) break;
    const thickness = side > 0 ? (sum * scale) / side : 0;
    let offset = 0;
    for (; at < end; at += 1) {
      const length = (sizes[at] / sum) * side;
      boxes.push(w >= h ? [x, y + offset, thickness, length] : [x + offset, y, length, thickness]);
      offset += length;
    }
    if (w >= h) [x, w] = [x + thickness, Math.max(0, w - thickness)];
    else [y, h] = [y + thickness, Math.max(0, h - thickness)];
    total -= sum;
  }
  while (boxes.length < sizes.length) boxes.push([x, y, 0, 0]);
  return boxes;
}

function start(data) {
  const { folders, files, states, notes } = data;
  const byId = (id) => document.getElementById(id);
  const number = new Intl.NumberFormat();
  const folderPaths = [];
  const childFolders = folders.map(() => []);
  const childFiles = folders.map(() => []);
  folders.forEach((folder, at) => {
    folderPaths.push(at === 0 ? "" : folderPaths[folder[FOLDER.parent]] + folder[FOLDER.name] + "/");
    if (at > 0) childFolders[folder[FOLDER.parent]].push(at);
  });
  files.forEach((file, at) => childFiles[file[FILE.folder]].push(at));
  const pathOf = (file) => folderPaths[file[FILE.folder]] + file[FILE.name];

  let current = 0;
  let showLeftOut = false;

  const sent = (folder) => folder[FOLDER.tokens].reduce((sum, tokens) => sum + tokens, 0);
  const estimate = (bytes) => Math.ceil(bytes / BYTES_PER_TOKEN);
  const sizeOfFolder = (folder) => sent(folder) + (showLeftOut ? estimate(folder[FOLDER.leftOut]) : 0);
  const sizeOfFile = (file) =>
    file[FILE.state] === EXCLUDED ? (showLeftOut ? estimate(file[FILE.bytes]) : 0) : file[FILE.tokens];

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function tileOfFolder(at) {
    const folder = folders[at];
    const leftOut = folder[FOLDER.leftOut] ? `, ${number.format(folder[FOLDER.leftOut])} bytes left out` : "";
    return {
      size: sizeOfFolder(folder),
      label: folder[FOLDER.name] + "/",
      details: `${folderPaths[at]}: ${number.format(sent(folder))} tokens in ${number.format(folder[FOLDER.files])} files${leftOut}`,
      folder: at,
    };
  }

  function tileOfFile(at) {
    const file = files[at];
    const note = notes[file[FILE.note]];
    const tokens = file[FILE.state] === EXCLUDED ? "" : `${number.format(file[FILE.tokens])} tokens, `;
    return {
      size: sizeOfFile(file),
      label: file[FILE.name],
      details: `${pathOf(file)}: ${tokens}${number.format(file[FILE.bytes])} bytes, ${states[file[FILE.state]]}${note ? ` (${note})` : ""}`,
      state: file[FILE.state],
    };
  }

  // The shares of the states from left to right.
  function colours(folder) {
    const shares = folder[FOLDER.tokens].slice();
    shares[EXCLUDED] = showLeftOut ? estimate(folder[FOLDER.leftOut]) : 0;
    const total = shares.reduce((sum, share) => sum + share, 0) || 1;
    let from = 0;
    const stops = [];
    shares.forEach((share, state) => {
      if (!share) return;
      const to = from + (share / total) * 100;
      stops.push(`var(--state-${state}) ${from}% ${to}%`);
      from = to;
    });
    return `linear-gradient(to right, ${stops.join(", ")})`;
  }

  function visibleTiles() {
    const tiles = childFolders[current].map(tileOfFolder).concat(childFiles[current].map(tileOfFile));
    const seen = tiles.filter((tile) => tile.size > 0).sort((a, b) => b.size - a.size);
    const rest = seen.splice(MOST_TILES);
    if (rest.length) {
      const size = rest.reduce((sum, tile) => sum + tile.size, 0);
      const label = `${number.format(rest.length)} more`;
      seen.push({ size, label, details: `${label}: ${number.format(size)} tokens; see the table below`, rest: true });
      seen.sort((a, b) => b.size - a.size);
    }
    return seen;
  }

  function drawMap() {
    const map = byId("map");
    const tiles = visibleTiles();
    const boxes = squarify(tiles.map((tile) => tile.size), map.clientWidth, map.clientHeight);
    const drawn = document.createDocumentFragment();
    tiles.forEach((tile, at) => {
      const [x, y, width, height] = boxes[at];
      const isFolder = tile.folder !== undefined;
      const button = element("button", isFolder ? "folder" : `s${tile.rest ? EXCLUDED : tile.state}`);
      button.type = "button";
      button.style.left = `${x}px`;
      button.style.top = `${y}px`;
      button.style.width = `${width}px`;
      button.style.height = `${height}px`;
      if (isFolder) button.style.background = colours(folders[tile.folder]);
      if (width > 34 && height > 16) button.textContent = tile.label;
      button.setAttribute("aria-label", tile.details);
      const tell = () => (byId("details").textContent = tile.details);
      button.addEventListener("pointerenter", tell);
      button.addEventListener("focus", tell);
      if (isFolder) button.addEventListener("click", () => zoom(tile.folder));
      drawn.append(button);
    });
    if (!tiles.length) drawn.append(element("div", "", "Nothing of this folder is in the pack."));
    map.replaceChildren(drawn);
  }

  function drawCrumbs() {
    const way = [];
    for (let at = current; at !== 0; at = folders[at][FOLDER.parent]) way.unshift(at);
    way.unshift(0);
    const crumbs = way.map((at) => {
      const button = element("button", "", at === 0 ? "all" : folders[at][FOLDER.name]);
      button.type = "button";
      if (at === current) button.setAttribute("aria-current", "true");
      else button.addEventListener("click", () => zoom(at));
      return button;
    });
    byId("crumbs").replaceChildren(...crumbs.flatMap((crumb, at) => (at ? [" / ", crumb] : [crumb])));
  }

  function zoom(folder) {
    current = folder;
    drawCrumbs();
    drawMap();
    byId("details").textContent = tileOfFolder(folder).details.replace(/^: /, "all: ");
    const first = byId("map").querySelector("button");
    if (first) first.focus({ preventScroll: true });
  }

  const columns = [
    { label: "Path", key: pathOf },
    { label: "State", key: (file) => states[file[FILE.state]] },
    { label: "Tokens", key: (file) => file[FILE.tokens], number: true },
    { label: "Bytes", key: (file) => file[FILE.bytes], number: true },
    { label: "Why", key: (file) => notes[file[FILE.note]] },
  ];
  let sorted = { column: 2, down: true };

  function compare(a, b) {
    const { key } = columns[sorted.column];
    const [x, y] = [key(a), key(b)];
    const order = x < y ? -1 : x > y ? 1 : 0;
    return sorted.down ? -order : order;
  }

  function drawTable() {
    const wanted = byId("filter").value.trim().toLowerCase();
    const matches = (file) =>
      `${pathOf(file)}\n${states[file[FILE.state]]}\n${notes[file[FILE.note]]}`.toLowerCase().includes(wanted);
    const found = wanted ? files.filter(matches) : files.slice();
    found.sort(compare);
    const rows = found.slice(0, MOST_ROWS).map((file) => {
      const row = element("tr");
      for (const column of columns) {
        const value = column.key(file);
        row.append(element("td", column.number ? "number" : "", column.number ? number.format(value) : value));
      }
      return row;
    });
    byId("rows").replaceChildren(...rows);
    const shown = found.length > MOST_ROWS ? `, the first ${MOST_ROWS} shown` : "";
    byId("count").textContent = `${number.format(found.length)} of ${number.format(files.length)} files${shown}`;
  }

  function drawHead() {
    const cells = columns.map((column, at) => {
      const cell = element("th", column.number ? "number" : "");
      cell.scope = "col";
      const isSorted = sorted.column === at;
      cell.setAttribute("aria-sort", isSorted ? (sorted.down ? "descending" : "ascending") : "none");
      const button = element("button", "", column.label + (isSorted ? (sorted.down ? " ↓" : " ↑") : ""));
      button.type = "button";
      button.addEventListener("click", () => {
        sorted = { column: at, down: isSorted ? !sorted.down : Boolean(column.number) };
        drawHead();
        drawTable();
        byId("head").children[at].firstChild.focus();
      });
      cell.append(button);
      return cell;
    });
    byId("head").replaceChildren(...cells);
  }

  function drawLegend() {
    const entries = states.map((state, at) => {
      const entry = element("li");
      entry.append(element("span", `s${at}`), state);
      return entry;
    });
    byId("legend").replaceChildren(...entries);
  }

  byId("app").hidden = false;
  byId("left-out").addEventListener("change", (event) => {
    showLeftOut = event.target.checked;
    drawMap();
  });
  let typing;
  byId("filter").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(drawTable, 80);
  });
  let resizing;
  window.addEventListener("resize", () => {
    clearTimeout(resizing);
    resizing = setTimeout(drawMap, 80);
  });
  drawLegend();
  drawCrumbs();
  drawMap();
  drawHead();
  drawTable();
}

start(JSON.parse(document.getElementById("data").textContent));
