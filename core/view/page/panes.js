// Texts side by side. A pane draws the rows that are seen, and no others.
const rowHeight = 18;
const texts = [];
data.sources.forEach(source => {
  const file = data.files.indexOf(source.path);
  texts.push({ id: "source:" + baseName(source.path), group: "Source", title: baseName(source.path), isSource: true, source, file });
});
const titles = { tile: "tile IR", neutral: "tile IR, neutral", prepared: "tile IR, prepared", simt: "tile IR with layouts (simt)",
                 llvm: "LLVM IR", asm: "assembly", machine: "machine code" };
data.compilations.forEach((one, number) => one.stages.forEach(stage => {
  texts.push({ id: (number ? "b:" : "") + stage.name, group: one.title, stage: stage.name, compilation: one, text: stage,
               title: (data.compilations.length > 1 ? "AB"[number] + ": " : "") + (titles[stage.name] || stage.name) + (stage.alias ? " (" + stage.alias + ")" : "") });
}));
// Remarks stand under their lines of the source.
const remarksAt = new Map();
data.compilations.forEach((one, number) => one.remarks.forEach(remark => {
  const place = remark.at < 0 ? undefined : userPlace(remark.at);
  if (place === undefined) return;
  const key = lineKey(place);
  if (!remarksAt.has(key)) remarksAt.set(key, []);
  const of = data.compilations.length > 1 ? "AB"[number] + ", " : "";
  remarksAt.get(key).push("[" + of + (remark.pass || "target") + "] " + remark.message);
}));

class Pane {
  constructor(entry) {
    this.select = el("select", { "aria-label": "What this pane shows", onchange: () => this.show(texts[this.select.value]) });
    let group;
    texts.forEach((one, index) => {
      if (!group || group.label !== one.group) {
        group = el("optgroup", { label: one.group });
        this.select.append(group);
      }
      group.append(el("option", { value: index }, one.title));
    });
    this.count = el("span", { class: "count" });
    this.code = el("div", { class: "code" });
    this.scroller = el("div", { class: "scroll", tabindex: "0", onscroll: () => this.draw() }, this.code);
    this.ruler = el("canvas", { class: "ruler", width: 9, height: 10 });
    this.root = el("div", { class: "pane" }, el("div", { class: "panehead" }, this.select, this.count,
      el("button", { title: "Close this pane", "aria-label": "Close this pane", onclick: () => this.close() }, "×")), this.scroller, this.ruler);
    this.code.addEventListener("mousemove", event => this.hover(event));
    this.code.addEventListener("mouseleave", () => { if (state.hovered) { state.hovered = null; refresh(); } });
    this.code.addEventListener("click", event => this.click(event));
    document.getElementById("stages").append(this.root);
    state.panes.push(this);
    this.show(entry);
  }
  show(entry) {
    this.entry = entry;
    this.isSource = Boolean(entry.isSource);
    this.file = entry.file;
    this.text = entry.text;
    this.title = entry.title;
    this.select.value = texts.indexOf(entry);
    this.root.dataset.text = entry.id;
    this.rows = [];
    const lines = linesOf(this.isSource ? entry.source : entry.text);
    lines.forEach((line, index) => {
      const number = this.isSource ? index + entry.source.first : index + 1;
      const key = this.file + ":" + number;
      this.rows.push({ index, line: number, content: line,
                       isBlind: this.isSource ? !sourceKeys.has(key) : placesAt(this.text, index).length === 0 });
      for (const remark of (this.isSource && remarksAt.get(key)) || []) this.rows.push({ index, line: number, remark });
    });
    const longest = this.rows.reduce((most, row) => Math.max(most, (row.remark || row.content).length), 0);
    this.code.style.height = this.rows.length * rowHeight + "px";
    this.code.style.width = Math.max(longest + 14, 10) + "ch";
    this.count.textContent = lines.length + " lines";
    this.scroller.scrollTop = 0;
    this.scroller.scrollLeft = 0;
    this.isDirty = true;
    this.toFirst();
    if (!this.isSource && mark()) this.reveal();
    this.draw();
  }
  // The first line that comes from somewhere, or that something comes from.
  toFirst() {
    const first = Math.max(0, this.rows.findIndex(row => !row.isBlind && !row.remark));
    this.scroller.scrollTop = Math.max(0, (first - 3) * rowHeight);
  }
  close() {
    if (state.panes.length > 1) {
      this.root.remove();
      state.panes.splice(state.panes.indexOf(this), 1);
      refresh();
    }
  }
  rowOf(event) {
    const at = Math.floor((event.clientY - this.code.getBoundingClientRect().top) / rowHeight);
    return this.rows[at];
  }
  markOf(row) {
    if (!row || row.isBlind && !row.remark) return null;
    return this.isSource ? markOfSource(this.file, row.line) : markOfPlaces(placesAt(this.text, row.index));
  }
  hover(event) {
    const row = this.rowOf(event);
    if (row === this.last || state.pinned) return;
    this.last = row;
    state.hovered = this.markOf(row);
    refresh();
  }
  click(event) {
    const found = this.markOf(this.rowOf(event));
    pin(found && state.pinned && found.text === state.pinned.text ? null : found, this);
  }
  marked(kind) {
    return this.rows.filter(row => !row.remark && rowClass(this, row) === kind).length;
  }
  reveal() {
    const first = this.rows.findIndex(row => !row.remark && rowClass(this, row) === "strong");
    if (first < 0) return;
    const top = first * rowHeight, height = this.scroller.clientHeight;
    if (top < this.scroller.scrollTop || top > this.scroller.scrollTop + height - 2 * rowHeight) {
      this.scroller.scrollTop = Math.max(0, top - height / 3);
    }
  }
  draw() {
    const top = this.scroller.scrollTop, height = this.scroller.clientHeight || 800;
    const first = Math.max(0, Math.floor(top / rowHeight) - 10), last = Math.min(this.rows.length, Math.ceil((top + height) / rowHeight) + 10);
    const shown = [];
    for (let at = first; at < last; at++) shown.push(this.drawRow(this.rows[at], at));
    this.code.replaceChildren(...shown);
    this.drawRuler(height);
  }
  drawRow(row, at) {
    const style = "top:" + at * rowHeight + "px";
    if (row.remark) {
      return el("div", { class: "row remark", style, title: row.remark }, el("span", { class: "no" }), this.heatOf(null), el("span", { class: "text" }, "      " + row.remark));
    }
    const kind = rowClass(this, row);
    return el("div", { class: "row " + kind + (row.isBlind ? " blind" : ""), style, "data-line": row.line },
      el("span", { class: "no" }, String(row.line)), this.heatOf(row), el("span", { class: "text" }, ...coloured(row.content, this.isSource ? ofPython : ofStages)));
  }
  heatOf(row) {
    if (!heat.size || !this.isSource) return "";
    const one = row && heat.get(this.file + ":" + row.line);
    if (!one) return el("span", { class: "heat" });
    const share = one.count / hottest;
    const why = Object.entries(one.why).sort((a, b) => b[1] - a[1]).map(([reason, count]) => reason + " " + count).join(", ");
    return el("span", { class: "heat", title: one.count + " " + (data.samples.unit || "samples") + (why ? ": " + why : ""),
      style: "background:rgba(var(--heat)," + (0.08 + 0.72 * share).toFixed(2) + ")" }, (100 * one.count / allSamples).toFixed(1) + "%");
  }
  // Where in the whole text marked lines are.
  drawRuler(height) {
    this.ruler.height = height;
    this.ruler.style.top = this.scroller.offsetTop + "px";
    this.ruler.style.height = height + "px";
    if (!mark()) return;
    const pen = this.ruler.getContext("2d"), style = getComputedStyle(document.documentElement);
    this.rows.forEach((row, at) => {
      const kind = row.remark ? "" : rowClass(this, row);
      if (kind) {
        pen.fillStyle = kind === "strong" ? style.getPropertyValue("--accent") : style.getPropertyValue("--strong");
        pen.fillRect(0, at / this.rows.length * height, 9, Math.max(2, height / this.rows.length));
      }
    });
  }
}
// Lines of the source that anything comes from.
const sourceKeys = new Set();
chains.forEach(chain => chain.forEach(place => sourceKeys.add(lineKey(place))));
remarksAt.forEach((_, key) => sourceKeys.add(key));
