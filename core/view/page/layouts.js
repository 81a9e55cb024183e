// Which thread holds which element of a tile, and where tiles lie in shared
// memory. Place: [register, lane, warp, block], as in terrazzo/simt/Layout.h.
function coordinatesOf(layout, place) {
  const result = layout.shape.map(() => 0), above = [0, 0, 0, 0];
  layout.axes.forEach((bases, axis) => {
    bases.forEach((basis, bit) => {
      if (place[axis] >> bit & 1) basis.forEach((value, dim) => { result[dim] ^= value; });
    });
    above[axis] = place[axis] >> bases.length;
  });
  const stride = layout.atom.slice();
  for (const { axis, dim, count } of layout.repeats) {
    if (dim !== null) {
      result[dim] += above[axis] % count * stride[dim];
      stride[dim] *= count;
    }
    above[axis] = Math.floor(above[axis] / count);
  }
  return result;
}
const sizeOf = (layout, axis) => layout.repeats.reduce((size, one) => one.axis === axis ? size * one.count : size, 1 << layout.axes[axis].length);

// Owners of all elements of a slice: the last two dimensions, the others fixed.
function ownersOf(layout, fixed) {
  const rank = layout.shape.length, columns = rank ? layout.shape[rank - 1] : 1, rows = rank > 1 ? layout.shape[rank - 2] : 1;
  const owners = new Array(rows * columns);
  const sizes = [0, 1, 2, 3].map(axis => sizeOf(layout, axis));
  // Copies without a dimension hold what the first one holds: they own nothing.
  const owns = place => layout.redundant.every((mask, axis) => !(place[axis] & mask & ((1 << layout.axes[axis].length) - 1)));
  for (let block = 0; block < sizes[3]; block++) for (let warp = 0; warp < sizes[2]; warp++)
    for (let lane = 0; lane < sizes[1]; lane++) for (let register = 0; register < sizes[0]; register++) {
      const place = [register, lane, warp, block];
      if (!owns(place)) continue;
      const at = coordinatesOf(layout, place);
      if (fixed.some((value, dim) => at[dim] !== value)) continue;
      const row = rank > 1 ? at[rank - 2] : 0, column = rank ? at[rank - 1] : 0;
      if (row < rows && column < columns && !owners[row * columns + column]) owners[row * columns + column] = place;
    }
  return { owners, rows, columns };
}
// How many of C++'s answers the arithmetic above gives as well.
function checkProbes(layout) {
  return layout.probes.filter(([at, place]) => coordinatesOf(layout, place).join() === at.join()).length;
}

const hue = (number, of) => "hsl(" + Math.round(number * 360 / Math.max(of, 1) + (of > 12 ? number % 2 * 14 : 0)) + "," + (state.isDark ? "45%,34%" : "62%,80%") + ")";

// A grid of cells; `cell(row, column)` gives { colour, label, text }.
function drawGrid(rows, columns, cell, into, perRow = 1) {
  const size = Math.max(9, Math.min(30, Math.floor(1040 / Math.min(columns, 64))));
  const shownRows = Math.min(rows, 256), shownColumns = Math.min(columns, 256);
  const ratio = window.devicePixelRatio || 1, edge = 34;
  const width = shownColumns * size + edge, height = shownRows * size + 18;
  const canvas = el("canvas", { width: width * ratio, height: height * ratio, style: "width:" + width + "px;height:" + height + "px" });
  const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
  pen.scale(ratio, ratio);
  pen.font = "10px ui-monospace, Menlo, Consolas, monospace";
  pen.textBaseline = "middle";
  for (let row = 0; row < shownRows; row++) {
    for (let column = 0; column < shownColumns; column++) {
      const one = cell(row, column);
      pen.fillStyle = one.colour;
      pen.fillRect(edge + column * size, 18 + row * size, size - 0.5, size - 0.5);
      if (size >= 22 && one.label) {
        pen.fillStyle = style.getPropertyValue("--text");
        pen.textAlign = "center";
        pen.fillText(one.label, edge + column * size + size / 2, 18 + row * size + size / 2, size - 2);
      }
    }
  }
  pen.fillStyle = style.getPropertyValue("--dim");
  pen.textAlign = "right";
  for (let row = 0; row < shownRows; row += Math.max(1, Math.ceil(14 / size))) pen.fillText(String(row * perRow), edge - 5, 18 + row * size + size / 2);
  pen.textAlign = "center";
  for (let column = 0; column < shownColumns; column += Math.max(1, Math.ceil(24 / size))) pen.fillText(String(column), edge + column * size + size / 2, 9);
  const below = el("p", { class: "sub" }, "Move over an element.");
  canvas.addEventListener("mousemove", event => {
    const column = Math.floor((event.offsetX - edge) / size), row = Math.floor((event.offsetY - 18) / size);
    if (row >= 0 && column >= 0 && row < shownRows && column < shownColumns) below.textContent = cell(row, column).text;
  });
  into.append(below, canvas);
  if (shownRows < rows || shownColumns < columns) into.append(el("p", { class: "note" }, "Of " + rows + " × " + columns + " elements the first " + shownRows + " × " + shownColumns + " are drawn."));
}

function drawLayout(layout, main) {
  const rank = layout.shape.length, fixed = layout.shape.slice(0, Math.max(0, rank - 2)).map(() => 0);
  const by = el("select", {}, ...["lane", "warp", "register"].map(name => el("option", {}, name)));
  const drawing = el("div");
  const draw = () => {
    const { owners, rows, columns } = ownersOf(layout, fixed);
    const axis = ["register", "lane", "warp"].indexOf(by.value), of = sizeOf(layout, axis);
    // A tile of one dimension is drawn as lines of 32 elements.
    const wide = rows === 1 ? Math.min(columns, 32) : columns, tall = rows === 1 ? Math.ceil(columns / wide) : rows;
    drawing.replaceChildren();
    drawGrid(tall, wide, (row, column) => {
      const index = row * wide + column, place = owners[index];
      if (!place) return { colour: "transparent", label: "", text: "no element" };
      const at = rows === 1 ? [index] : [row, column];
      return { colour: hue(place[axis], of), label: String(place[axis]),
               text: "element [" + [...fixed, ...at].join(", ") + "]: warp " + place[2] + ", lane " + place[1] + ", register " + place[0] + (sizeOf(layout, 3) > 1 ? ", block " + place[3] : "") };
    }, drawing, rows === 1 ? wide : 1);
  };
  by.addEventListener("change", draw);
  const tools = el("div", { class: "tools" }, el("label", {}, "colour and number: ", by));
  fixed.forEach((_, dim) => tools.append(el("label", {}, "dimension " + dim + ": ", el("input", { type: "number", min: 0, max: layout.shape[dim] - 1, value: 0,
    onchange: event => { fixed[dim] = Math.max(0, Math.min(layout.shape[dim] - 1, Number(event.target.value) || 0)); draw(); } }))));
  const good = checkProbes(layout);
  main.replaceChildren(el("h2", {}, layoutName(layout) + ": tile of " + layout.shape.join(" × ") + " " + layout.element),
    el("p", { class: "sub" }, layout.text),
    el("p", { class: "note", id: "probes" }, layout.uses + " values have it. A thread holds " + sizeOf(layout, 0) + " registers of it; " + sizeOf(layout, 1) + " lanes, " + sizeOf(layout, 2) + " warps. "
      + good + " of " + layout.probes.length + " elements are where the compiler puts them."), placeLink(layout.at), tools, drawing);
  draw();
}

function drawBuffer(buffer, main) {
  const banks = el("input", { type: "number", min: 1, max: 256, value: 32 }), bytes = el("input", { type: "number", min: 1, max: 64, value: 4 });
  const drawing = el("div");
  const draw = () => {
    const count = Number(banks.value) || 32, width = Number(bytes.value) || 4;
    const bankOf = offset => Math.floor(offset / width) % count;
    drawing.replaceChildren();
    const rows = buffer.offsets.length, columns = buffer.offsets[0].length;
    drawGrid(rows, columns, (row, column) => {
      const offset = buffer.offsets[row][column];
      return { colour: hue(bankOf(offset), count), label: String(bankOf(offset)), text: "element [" + row + ", " + column + "]: byte " + offset + ", bank " + bankOf(offset) };
    }, drawing);
    const column = new Set(buffer.offsets.map(line => bankOf(line[0]))).size;
    drawing.append(el("p", { class: "note" }, "The first elements of " + rows + " rows lie in " + column + " banks."));
  };
  banks.addEventListener("change", draw);
  bytes.addEventListener("change", draw);
  main.replaceChildren(el("h2", {}, "shared memory: " + buffer.shape.join(" × ") + " " + buffer.element), el("p", { class: "sub" }, buffer.text),
    el("p", { class: "note" }, buffer.bytes + " bytes" + (buffer.copies > 1 ? ", " + buffer.copies + " slots of a ring buffer" : "") + ". The numbers are banks: a machine has its own count and width, which can be set."),
    placeLink(buffer.at), el("div", { class: "tools" }, el("label", {}, "banks: ", banks), el("label", {}, "bytes each: ", bytes)), drawing);
  draw();
}

function placeLink(place) {
  return place < 0 ? "" : el("ul", { class: "remarks" }, el("li", {}, "first used at ", el("a", { onclick: () => { openTab("stages"); pin(markOfPlaces([place]), null); } }, chains[place].map(placeText).join(", called at "))));
}

let areLayoutsDrawn = false;
function drawLayouts() {
  if (areLayoutsDrawn) return;
  areLayoutsDrawn = true;
  const side = el("div", { class: "side" }), main = el("div", { class: "main" });
  document.getElementById("layouts").append(side, main);
  let chosen = null;
  const add = (what, much, draw) => {
    const item = el("button", { class: "item" }, el("span", { class: "what" }, what), el("span", { class: "much" }, much));
    item.addEventListener("click", () => {
      if (chosen) chosen.setAttribute("aria-selected", "false");
      chosen = item;
      item.setAttribute("aria-selected", "true");
      draw();
    });
    side.append(item);
  };
  data.compilations.forEach(compilation => {
    if (data.compilations.length > 1) side.append(el("h2", {}, compilation.title));
    if (compilation.layouts.length) side.append(el("h2", {}, "Tiles over threads"));
    for (const layout of [...compilation.layouts].sort((a, b) => b.uses - a.uses)) {
      add(layoutName(layout) + "  " + layout.shape.join("×") + " " + layout.element, layout.uses + (layout.uses === 1 ? " value" : " values"), () => drawLayout(layout, main));
    }
    if (compilation.buffers.length) side.append(el("h2", {}, "Shared memory"));
    for (const buffer of compilation.buffers) add(buffer.shape.join("×") + " " + buffer.element, (buffer.copies > 1 ? buffer.copies + " × " : "") + buffer.bytes + " bytes", () => drawBuffer(buffer, main));
    if (!compilation.layouts.length && !compilation.buffers.length) side.append(el("p", { class: "note" }, compilation.target + ": one thread holds whole tiles, so there are no layouts."));
  });
  const first = side.querySelector(".item");
  if (first) first.click();
}
