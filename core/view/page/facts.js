// Registers, spills, the launch plan, the artifact, and stages that are missing.
const table = rows => el("table", {}, ...rows.map(([what, text]) => el("tr", {}, el("td", {}, what), el("td", {}, text))));
let areFactsDrawn = false;
function drawFacts() {
  if (areFactsDrawn) return;
  areFactsDrawn = true;
  const main = el("div", { class: "main columns" });
  document.getElementById("facts").append(main);
  for (const one of data.compilations) {
    const part = el("div", {}, el("h2", {}, one.title));
    for (const plan of one.plans) part.append(el("h2", {}, "variant " + plan.variant), table(plan.facts));
    part.append(el("h2", {}, "artifact"), table(one.facts), el("h2", {}, "stages"), table(one.stages.map(stage => [stage.name, stage.lines.length + " lines, " +
      stage.at.filter(at => at !== -1).length + " with a place in the source"])));
    if (one.absent.length) part.append(el("h2", {}, "not on this page"), table(one.absent.map(text => [text.split(": ")[0], text.slice(text.indexOf(": ") + 2)])));
    main.append(part);
  }
}
