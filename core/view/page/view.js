// What goes wrong is told on the page itself.
window.addEventListener("error", event => {
  document.documentElement.dataset.error = event.message;
  document.getElementById("where").textContent = "The page failed: " + event.message;
});
// The data, the places that lines come from, and what is marked.
const data = JSON.parse(document.getElementById("data").textContent);
const el = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
};
const linesOf = text => text.lines.map(number => data.strings[number]);
const placesAt = (text, line) => {
  const at = text.at[line];
  return at === undefined || at === -1 ? [] : Array.isArray(at) ? at : [at];
};
const baseName = path => path.slice(path.lastIndexOf("/") + 1);

// A chain of a place: itself, then the calls that led there.
const chains = data.places.map((_, index) => {
  const chain = [];
  for (let at = index; at >= 0 && chain.length < 64; at = data.places[at][3]) chain.push(at);
  return chain;
});
const lineKey = place => data.places[place][0] + ":" + data.places[place][1];
const chainKeys = chains.map(chain => chain.map(lineKey).join(">"));
const isUsers = place => !data.files[data.places[place][0]].startsWith("<");
// The innermost place in a file of the user's.
const userPlace = place => chains[place].find(isUsers);
const placeText = place => {
  const [file, line, column] = data.places[place];
  return baseName(data.files[file]) + ":" + line + (column ? ":" + column : "");
};

// A mark: places whose lines are strong, and places whose lines are weak.
// From a line of the source all that has it in its chain; from a line of a
// stage all that has the same chain of lines.
function markOfSource(file, line) {
  const key = file + ":" + line;
  const strong = new Set(), weak = new Set();
  chains.forEach((chain, index) => {
    if (chain.some(place => lineKey(place) === key)) strong.add(index);
  });
  return { strong, weak, sources: new Map([[key, "strong"]]), text: data.files[file] ? baseName(data.files[file]) + ":" + line : "" };
}
function markOfPlaces(places) {
  const strong = new Set(), weak = new Set(), sources = new Map();
  const keys = new Set(places.map(place => chainKeys[place]));
  const users = new Set(places.map(userPlace).filter(place => place !== undefined).map(lineKey));
  chains.forEach((chain, index) => {
    if (keys.has(chainKeys[index])) strong.add(index);
    else if (chain.some(place => users.has(lineKey(place)))) weak.add(index);
  });
  for (const place of places) {
    chains[place].forEach((one, depth) => {
      const key = lineKey(one);
      if (!sources.has(key)) sources.set(key, depth === 0 || one === userPlace(place) ? "strong" : "weak");
    });
  }
  const text = places.map(place => chains[place].map(placeText).join(", called at ")).join(" or ");
  return { strong, weak, sources, text };
}

const state = { pinned: null, hovered: null, panes: [] };
const mark = () => state.hovered || state.pinned;
function rowClass(pane, row) {
  const current = mark();
  if (!current) return "";
  if (pane.isSource) return current.sources.get(pane.file + ":" + row.line) || "";
  const at = placesAt(pane.text, row.index);
  return at.some(place => current.strong.has(place)) ? "strong" : at.some(place => current.weak.has(place)) ? "weak" : "";
}
function showStatus() {
  const where = document.getElementById("where"), current = mark();
  if (!current) {
    where.textContent = "Move over a line: all lines that come from the same place are marked. A click keeps the mark, Esc ends it.";
    return;
  }
  const counts = state.panes.filter(pane => !pane.isSource).map(pane => pane.title + " " + pane.marked("strong"));
  where.replaceChildren(el("b", {}, current.text || "no place in the source"), "   " + counts.join("   "));
}
function refresh() {
  state.panes.forEach(pane => pane.draw());
  showStatus();
}
function pin(found, from) {
  state.pinned = found;
  state.hovered = null;
  state.panes.forEach(pane => { if (pane !== from && found) pane.reveal(); });
  refresh();
}

// Counts of a profiler by line of the source.
const heat = new Map();
let hottest = 0;
for (const one of (data.samples && data.samples.lines) || []) {
  data.files.forEach((path, file) => {
    if (path !== one.file && !path.endsWith("/" + one.file)) return;
    const known = heat.get(file + ":" + one.line) || { count: 0, why: {} };
    known.count += one.count;
    for (const [reason, count] of Object.entries(one.why || {})) known.why[reason] = (known.why[reason] || 0) + count;
    heat.set(file + ":" + one.line, known);
    hottest = Math.max(hottest, known.count);
  });
}
const allSamples = [...heat.values()].reduce((sum, one) => sum + one.count, 0);

// The text of the stage simt gives names to layouts: "#layout1 = #simt.layout<...>".
const layoutNames = new Map();
data.compilations.forEach(one => {
  const simt = one.stages.find(stage => stage.name === "simt");
  for (const line of simt ? linesOf(simt) : []) {
    const [, name, text] = line.match(/^(#\w+) = (#simt\.layout<.*>)$/) || [];
    if (name && !layoutNames.has(text)) layoutNames.set(text, name);
  }
});
const layoutName = layout => layoutNames.get(layout.text) || "layout";

const ofStages = /("(?:[^"\\]|\\.)*")|((?:\/\/|;|#(?!simt|L\d|\w)).*$)|([%@$]?[\w.$]*%[\w.$#:]+|[%@][\w.$]+)|\b(def|for|if|else|elif|while|return|in|range|import|from|as|and|or|not|is|None|True|False|define|call|br|ret|label|scf\.\w+|arith\.\w+|tile\.\w+|simt\.\w+)\b|(\b(?:0[xXfFdD][0-9a-fA-F]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b)/g;
const ofPython = /((?:"(?:[^"\\]|\\.)*")|(?:'(?:[^'\\]|\\.)*'))|(#.*$)|(@[\w.]+)|\b(def|for|if|else|elif|while|return|in|range|import|from|as|and|or|not|is|None|True|False|lambda|pass|assert)\b|(\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)/g;
function coloured(line, words) {
  const parts = [];
  let last = 0;
  for (const match of line.matchAll(words)) {
    if (match.index > last) parts.push(line.slice(last, match.index));
    const kind = match[1] ? "s" : match[2] ? "c" : match[3] ? "v" : match[4] ? "k" : "n";
    parts.push(el("span", { class: kind }, match[0]));
    last = match.index + match[0].length;
  }
  parts.push(line.slice(last));
  return parts;
}
