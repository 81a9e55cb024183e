// The frame: title, tabs, theme, and what the address asks for behind its #:
// tab=passes, line=FILE:12 or line=STAGE:12, panes=A,B,C, theme=dark.
document.getElementById("kernel").textContent = data.kernel;
data.compilations.forEach((one, number) => {
  const main = one.plans.length ? new Map(one.plans[one.plans.length - 1].facts) : new Map();
  const chip = el("span", { class: "chip" }, el("b", {}, (data.compilations.length > 1 ? "AB"[number] + "  " : "") + one.title));
  if (main.has("registers")) chip.append("  " + main.get("registers") + " registers");
  if (main.has("spilled")) chip.append("  spilled " + main.get("spilled").split(":")[0]);
  document.getElementById("titles").append(chip);
});

const tabs = { stages: ["Stages", refresh], passes: ["Passes", drawPasses], layouts: ["Layouts", drawLayouts], facts: ["Figures", drawFacts] };
function openTab(name) {
  for (const [one, [, draw]] of Object.entries(tabs)) {
    document.getElementById(one).hidden = one !== name;
    document.getElementById("tab-" + one).setAttribute("aria-selected", String(one === name));
    if (one === name) draw();
  }
}
for (const [name, [title]] of Object.entries(tabs)) {
  document.getElementById("tabs").append(el("button", { id: "tab-" + name, role: "tab", onclick: () => openTab(name) }, title));
}

const asked = new URLSearchParams(location.hash.slice(1));
const system = window.matchMedia("(prefers-color-scheme: dark)");
function setTheme(theme) {
  state.theme = theme;
  state.isDark = theme === "dark" || (theme === "system" && system.matches);
  document.documentElement.dataset.theme = state.isDark ? "dark" : "light";
}
setTheme(asked.get("theme") || "system");
system.addEventListener("change", () => setTheme(state.theme));
document.getElementById("theme").addEventListener("click", () => {
  setTheme(state.isDark ? "light" : "dark");
  refresh();
});

// The source, the stage in the middle and the last text; of two compilations
// the last texts beside each other.
function firstPanes() {
  const last = one => one.stages[one.stages.length - 1];
  const entryOf = stage => texts.find(entry => entry.text === stage);
  const source = texts.find(entry => entry.isSource);
  if (data.compilations.length > 1) return [source, ...data.compilations.map(one => entryOf(last(one)))];
  const one = data.compilations[0], middle = one.stages.find(stage => stage.name === "simt") || one.stages.find(stage => stage.name === "prepared") || one.stages[0];
  return [...new Set([source, entryOf(middle), entryOf(last(one))])];
}
const wanted = (asked.get("panes") || "").split(",").filter(Boolean).map(id => texts.find(entry => entry.id === id)).filter(Boolean);
(wanted.length ? wanted : firstPanes()).filter(Boolean).forEach(entry => new Pane(entry));
document.getElementById("tabs").append(el("button", { title: "One more pane", onclick: () => { openTab("stages"); new Pane(texts[texts.length - 1]); refresh(); } }, "+"));

document.addEventListener("keydown", event => {
  if (event.key === "Escape") pin(null, null);
});
window.addEventListener("resize", refresh);
openTab(tabs[asked.get("tab")] ? asked.get("tab") : "stages");
if (asked.get("line")) {
  const at = asked.get("line").lastIndexOf(":"), name = asked.get("line").slice(0, at), line = Number(asked.get("line").slice(at + 1));
  const entry = texts.find(one => one.id === name || one.id === "source:" + name);
  if (entry && entry.isSource) pin(markOfSource(entry.file, line), null);
  else if (entry && placesAt(entry.text, line - 1).length) pin(markOfPlaces(placesAt(entry.text, line - 1)), null);
}
document.documentElement.dataset.ready = Math.round(performance.now()); // ms
