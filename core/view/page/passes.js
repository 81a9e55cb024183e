// What each pass changed. Numbers of values change with every line that goes:
// lines are compared without them.
const plain = line => line.replace(/%[\w#:]+/g, "%").replace(/\^bb\d+/g, "^");

// Longest common subsequence, by Myers' greedy search from both texts' begins.
function difference(before, after) {
  const a = before.map(plain), b = after.map(plain);
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const n = a.length - head - tail, m = b.length - head - tail, most = n + m;
  const traces = [];
  let ends = new Int32Array(2 * most + 3), found = -1;
  search: for (let d = 0; d <= most && d <= 4000; d++) {
    traces.push(ends.slice(most - d, most + d + 3));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && ends[most + k] < ends[most + k + 2]);
      let x = down ? ends[most + k + 2] : ends[most + k] + 1, y = x - k;
      while (x < n && y < m && a[head + x] === b[head + y]) { x++; y++; }
      ends[most + k + 1] = x;
      if (x >= n && y >= m) { found = d; break search; }
    }
  }
  const steps = [];
  for (let i = 0; i < tail; i++) steps.push([" ", after[after.length - 1 - i]]); // from the end on
  if (found < 0) { // too far apart to be worth a search
    for (let y = m - 1; y >= 0; y--) steps.push(["+", after[head + y]]);
    for (let x = n - 1; x >= 0; x--) steps.push(["-", before[head + x]]);
  } else {
    let x = n, y = m;
    for (let d = found; d >= 0; d--) {
      const trace = traces[d], at = k => trace[k + d];
      const k = x - y, down = k === -d || (k !== d && at(k) < at(k + 2));
      const fromK = down ? k + 1 : k - 1, fromX = d === 0 ? 0 : down ? at(k + 2) : at(k), fromY = fromX - fromK;
      while (x > (d === 0 ? 0 : down ? fromX : fromX + 1) && y > (d === 0 ? 0 : down ? fromY + 1 : fromY)) { steps.push([" ", after[head + --y]]); x--; }
      if (d > 0) {
        if (down) steps.push(["+", after[head + --y]]);
        else steps.push(["-", before[head + --x]]);
      }
    }
  }
  for (let i = head - 1; i >= 0; i--) steps.push([" ", after[i]]);
  return steps.reverse();
}

// Steps with three unchanged lines around each change.
function drawDifference(steps, into) {
  const near = new Uint8Array(steps.length);
  steps.forEach(([kind], at) => {
    if (kind !== " ") for (let i = Math.max(0, at - 3); i <= Math.min(steps.length - 1, at + 3); i++) near[i] = 1;
  });
  let hidden = 0;
  const flush = () => {
    if (hidden) into.append(el("div", { class: "cut" }, "… " + hidden + " lines as before"));
    hidden = 0;
  };
  let drawn = 0;
  for (let at = 0; at < steps.length; at++) {
    if (!near[at]) { hidden++; continue; }
    flush();
    if (++drawn > 4000) { into.append(el("div", { class: "cut" }, "… more than 4,000 lines; the stages have the whole text")); return; }
    const [kind, line] = steps[at];
    into.append(el("div", { class: kind === "+" ? "plus" : kind === "-" ? "minus" : "" }, kind + " " + line));
  }
  flush();
}

function remarkList(remarks) {
  return el("ul", { class: "remarks" }, ...remarks.map(remark => {
    const place = remark.at < 0 ? undefined : userPlace(remark.at);
    return el("li", {}, place === undefined ? "" : el("a", { onclick: () => { openTab("stages"); pin(markOfPlaces([place]), null); } }, placeText(place)),
      (remark.severity === "warning" ? "warning: " : "") + remark.message);
  }));
}

const passesTab = { isDrawn: false, chosen: null };
function drawPasses() {
  const root = document.getElementById("passes");
  if (passesTab.isDrawn) return;
  passesTab.isDrawn = true;
  const side = el("div", { class: "side" }), main = el("div", { class: "main" });
  root.append(side, main);
  data.compilations.forEach(compilation => {
    if (data.compilations.length > 1) side.append(el("h2", {}, compilation.title));
    const first = compilation.stages.find(stage => stage.name === "tile");
    let before = linesOf(first), stage = "";
    for (const step of compilation.passes) {
      if (step.stage !== stage) side.append(el("h2", {}, stage = step.stage));
      const remarks = compilation.remarks.filter(remark => remark.pass === step.pass);
      const after = step.text ? linesOf(step.text) : before, from = before;
      before = after;
      const item = el("button", { class: "item" + (step.text ? "" : " same"), "data-pass": step.pass }, el("span", { class: "what" }, step.pass),
        el("span", { class: "much" }, (remarks.length ? remarks.length + " ✎ " : "") + (step.text ? from.length + " → " + after.length : "=")));
      item.addEventListener("click", () => {
        if (passesTab.chosen) passesTab.chosen.setAttribute("aria-selected", "false");
        passesTab.chosen = item;
        item.setAttribute("aria-selected", "true");
        const diff = el("div", { class: "diff" });
        const steps = step.text ? difference(from, after) : [];
        const plus = steps.filter(one => one[0] === "+").length, minus = steps.filter(one => one[0] === "-").length;
        main.replaceChildren(el("h2", {}, step.pass), el("p", { class: "note" }, step.text
          ? "+" + plus + " \u2212" + minus + ". Lines that differ in the numbers of values alone count as equal." : "The pass changed nothing."),
          remarkList(remarks));
        if (step.text) {
          drawDifference(steps, diff);
          main.append(diff);
        }
      });
      side.append(item);
    }
    const others = compilation.remarks.filter(remark => !compilation.passes.some(step => step.pass === remark.pass));
    if (others.length) side.append(el("h2", {}, "Said by the target"), remarkList(others));
  });
  side.append(el("p", { class: "note" }, "Passes behind the tile IR run in the target's plugin: their stages are texts."));
  const changed = side.querySelector(".item:not(.same)");
  if (changed) changed.click();
  else main.append(el("p", { class: "note" }, "No pass changed the kernel."));
}
