// SPDX-License-Identifier: Apache-2.0
// Shows the groups of rows that fit the selectors, and draws each picture from the rows of the table
// under it. Without Vega it does all but the drawing.
(() => {
  "use strict";
  const specs = JSON.parse(document.getElementById("pictures").textContent);
  const canDraw = typeof vegaEmbed === "function";
  const tables = [...document.querySelectorAll("main table")];
  const figures = [...document.querySelectorAll("figure")];
  const drawings = [...document.querySelectorAll(".drawings")];
  const selects = [...document.querySelectorAll("select[data-key]")];
  const find = document.getElementById("find");
  const body = document.body;

  // ---- what is shown

  const state = { run: "", dataset: "", model: "", metric: "", reference: "", picked: "", find: "", section: "", against: "", scale: "" };
  const chosen = ["run", "dataset", "model", "metric"];
  // Every choice that the leaderboard can show; the other sections follow.
  const boards = [...(document.getElementById("board-table")?.tBodies ?? [])];
  const rowOf = row => (row.record ??= row.dataset.row ? JSON.parse(row.dataset.row) : {});
  const hasNumber = group => [...group.rows].some(row => rowOf(row).mean !== undefined);
  const choices = boards.map(group => ({ ...group.dataset }));

  // The choice that has this value, and else the least that differs from what is shown now.
  function choose(key, value) {
    if (!chosen.includes(key)) { state[key] = value; return; }
    // A metric that has no number there is no choice, where another one has.
    const agreement = choice => chosen.reduce((sum, other, i) => sum + (choice[other] === state[other] ? 2 ** -i : 0), hasNumber(boards[choices.indexOf(choice)]) ? 4 : 0);
    const fits = choices.filter(choice => choice[key] === value);
    if (fits.length === 0) return;
    Object.assign(state, fits.reduce((best, choice) => (agreement(choice) > agreement(best) ? choice : best)));
  }

  function fits(group, keys = Object.keys(group.dataset)) {
    return keys.every(key => group.dataset[key] === state[key]);
  }

  // The steps of a sanity ladder are no methods, where there are others.
  const steps = ["perfect", "random_importance", "random_concepts"];

  // The methods that have differences taken to them, the best first.
  function fillReferences() {
    const select = document.getElementById("reference");
    const groups = [...(document.getElementById("difference-table")?.tBodies ?? [])].filter(group => fits(group, chosen.filter(key => key in group.dataset)));
    const names = groups.map(group => group.dataset.reference);
    if (!names.includes(state.reference)) state.reference = names.find(name => !steps.includes(name)) ?? names[0] ?? "";
    if (!select) return;
    select.replaceChildren(...names.map(name => new Option(name, name)));
    select.value = state.reference;
    select.closest("p").hidden = names.length === 0;
  }

  // A method's name becomes a button that follows it through the page.
  function enhance(group) {
    if (group.enhanced) return;
    group.enhanced = true;
    for (const name of group.querySelectorAll("th[scope=row]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "method";
      button.append(...name.childNodes);
      name.replaceChildren(button);
    }
  }

  const isFound = method => method.toLowerCase().includes(state.find.toLowerCase());

  // Of a table whose picture has room for one method: the one that is followed, else the first.
  const methodsOf = table => [...new Set([...table.tBodies].filter(group => fits(group)).flatMap(group => [...group.rows].map(row => rowOf(row).method)))];
  function ofOne(table) {
    const methods = methodsOf(table);
    return methods.includes(state.picked) ? state.picked : methods[0];
  }

  function showTable(table) {
    let shown = 0;
    if (figures.some(figure => figure.dataset.one !== undefined && figure.dataset.table === table.id)) table.of = ofOne(table);
    for (const group of table.tBodies) {
      group.hidden = !fits(group);
      group.classList.toggle("shown", !group.hidden);
      if (group.hidden) continue;
      enhance(group);
      for (const row of group.rows) {
        const method = rowOf(row).method;
        row.hidden = (method !== undefined && !isFound(method)) || (table.of !== undefined && method !== table.of);
        row.classList.toggle("picked", method !== undefined && method === state.picked);
        row.querySelector("button.method")?.setAttribute("aria-pressed", String(method === state.picked));
        shown += row.hidden ? 0 : 1;
      }
    }
    const holder = table.closest(".scroll"), folded = table.closest("details");
    holder.classList.toggle("empty", shown === 0);
    holder.tabIndex = shown === 0 ? -1 : 0;
    if (folded) folded.hidden = shown === 0;
    if (table.id !== "board-table") return;
    if (!holder.nothing) {
      holder.nothing = document.createElement("p");
      holder.nothing.className = "nothing";
      holder.nothing.textContent = `${table.caption.textContent}: nothing for this choice.`;
      holder.after(holder.nothing);
    }
    holder.nothing.hidden = shown > 0;
  }

  // What has nothing for this choice is not there: parts of sections, and sections with their links.
  function showSections() {
    const isEmpty = one => one.matches("table") ? one.closest(".scroll").classList.contains("empty") : one.hidden;
    for (const part of [...document.querySelectorAll(".part"), ...document.querySelectorAll("main > section")]) {
      const shows = [...part.querySelectorAll("table, figure, .drawings")];
      part.hidden = shows.length > 0 && shows.every(isEmpty) && part.id !== "board";
      const link = part.id ? document.querySelector(`nav a[href="#${part.id}"]`) : null;
      if (link) link.parentElement.hidden = part.hidden;
    }
  }

  // ---- sorting

  // What begins with a number is sorted by it ("0.31 ± 0.02", "3/5"), but a date is more than its year.
  const numberOrText = text => (Number.isNaN(parseFloat(text)) || /^\d{4}-\d\d-\d\d/.test(text) ? text : parseFloat(text));
  const value = (row, column, by) => (by ? rowOf(row)[by] : numberOrText(row.cells[column].textContent));

  function compare(a, b) {
    if (a === b) return 0;
    if (a === undefined || a === null || a === "-") return 1; // what is missing comes last either way
    if (b === undefined || b === null || b === "-") return -1;
    return typeof a === typeof b ? (a < b ? -1 : 1) : typeof a === "number" ? -1 : 1;
  }

  function sort(table, head) {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    for (const group of table.tBodies) {
      const keyed = [...group.rows].map(row => [value(row, head.cellIndex, head.dataset.by), row]);
      const missing = key => key === undefined || key === null || key === "-";
      keyed.sort(([a], [b]) => (down && !missing(a) && !missing(b) ? compare(b, a) : compare(a, b)));
      group.append(...keyed.map(([, row]) => row));
    }
    update();
  }

  // ---- pictures

  function records(table) {
    const out = [];
    for (const group of table.tBodies)
      if (!group.hidden)
        for (const row of group.rows)
          if (!row.hidden) {
            const { marks, ...record } = rowOf(row);
            for (const mark of marks ?? [{}]) {
              const one = { ...record, ...mark };
              const named = (name, what) => (one[name] === undefined ? undefined : `${what} ${one[name]}`);
              one.label ??= [one.subject, one.letter, one.member, one.panel ?? one.method, one.kind, one.step, one.outcome, one.policy, named("k", "K"), named("concept", "concept"), named("latent", "latent"), named("factor", "factor"), named("held", "held at"), named("of", "value"), one.series, one.others, named("rank", "place"), named("row", "row"), named("column", "column"), named("told", "told"), one.text ?? one.value ?? one.difference]
                .filter(part => part !== undefined && part !== null).join(", ");
              out.push(one);
            }
          }
    return out;
  }

  // ---- two metrics

  const optionOf = metric => [...document.querySelectorAll("select[data-key=metric] option")].find(option => option.value === metric);
  const placeKeys = chosen.filter(key => key !== "metric");
  const boardOf = metric => boards.find(group => group.dataset.metric === metric && fits(group, placeKeys.filter(key => key in group.dataset)));
  const meansOf = group => new Map([...(group?.rows ?? [])].map(rowOf).filter(row => row.mean !== undefined).map(row => [row.method, row]));

  // What is used is paid: fewer concepts are better, though nothing ranks by them.
  const sideOf = metric => ({ higher: 1, lower: -1 }[optionOf(metric)?.dataset.better] ?? -1);

  function fillAgainst() {
    const select = document.getElementById("against");
    if (!select) return;
    const names = boards.filter(group => fits(group, placeKeys.filter(key => key in group.dataset)) && hasNumber(group)).map(group => group.dataset.metric).filter(name => name !== state.metric);
    if (!names.includes(state.against)) state.against = names.includes("effective_concepts") ? "effective_concepts" : names[0] ?? "";
    fillSelect(select, names, state.against);
  }

  function paretoRecords() {
    const x = meansOf(boardOf(state.against)), y = meansOf(boardOf(state.metric));
    const both = [...y.keys()].filter(method => x.has(method) && isFound(method)), found = both.filter(method => !steps.includes(method));
    const points = (found.length > 0 ? found : both).map(method => {
      const across = x.get(method), up = y.get(method);
      return { method, x: across.mean, mean: up.mean, xText: across.marks?.[0]?.text, text: up.marks?.[0]?.text, label: `${method}, ${across.marks?.[0]?.text}, ${up.marks?.[0]?.text}` };
    });
    const [sideX, sideY] = [sideOf(state.against), sideOf(state.metric)];
    const beats = (a, b) => sideX * (a.x - b.x) >= 0 && sideY * (a.mean - b.mean) >= 0 && (a.x !== b.x || a.mean !== b.mean);
    return points.map(point => {
      const beaten = points.some(other => beats(other, point));
      return { ...point, frontier: beaten ? "beaten" : "beaten by none", named: !beaten || points.length <= 8 || point.method === state.picked };
    });
  }

  const dataOf = figure => (figure.dataset.picture === "pareto" ? paretoRecords() : records(document.getElementById(figure.dataset.table)));

  // Values that differ by orders of magnitude get a symmetric log scale; a bounded metric never does.
  function scaleFor(data) {
    const sizes = data.map(one => Math.abs(one.mean ?? one.value ?? one.difference ?? NaN)).filter(size => size > 0).sort((a, b) => a - b);
    const bounded = metricOption()?.dataset.bounded !== undefined;
    const middle = sizes[Math.floor(sizes.length / 2)];
    if (!bounded && state.scale !== "" && sizes.length > 0) return state.scale === "log" ? { type: "symlog", constant: sizes[0] } : { type: "linear" };
    return bounded || sizes.length === 0 || sizes.at(-1) < 30 * middle ? { type: "linear" } : { type: "symlog", constant: middle / 5 };
  }

  // Replaces what a specification leaves to the page: the order and the domain of the rows, the scale.
  function fill(node, data, scale) {
    if (Array.isArray(node)) return node.forEach(inner => fill(inner, data, scale));
    if (node === null || typeof node !== "object") return;
    const values = () => [...new Set(data.map(one => one[node.field]).filter(one => one !== undefined && one !== null))];
    if (node.sort === "rows") node.sort = values();
    if (node.scale?.domain === "rows") node.scale.domain = values();
    if (node.legend?.values === "rows") node.legend.values = values();
    if (node.scale?.domain === "symmetric") node.scale.domain = [-1, 1].map(side => side * Math.max(...values().map(Math.abs), 1e-300));
    if (node.scale?.domain === "answers") node.scale.domain = answersOf(data);
    if (node.scale?.type === "metric") Object.assign(node.scale, scale);
    Object.values(node).forEach(inner => fill(inner, data, scale));
  }

  // All answers of model and surrogate, numbers in their order.
  const answersOf = data => [...new Set(data.flatMap(one => [one.model_says, one.surrogate_says]))].sort((a, b) => compare(numberOrText(a), numberOrText(b)));

  // A name in lines of so many letters, where it has places to break.
  const lines = (text, most) => text.split(/(?<=[ ,(])/).reduce((out, piece) => {
    if (out.length > 0 && out.at(-1).length + piece.length <= most) out.push(out.pop() + piece);
    else out.push(piece);
    return out;
  }, []);

  // What is wider than its place is scrolled, by the keyboard too.
  function overflowing(place) {
    if (place.scrollWidth > place.clientWidth) place.tabIndex = 0;
    else place.removeAttribute("tabindex");
  }

  /// "surf_mae [logits], less is better"
  function axisTitle(metric) {
    const { unit, better } = optionOf(metric)?.dataset ?? {};
    const side = { higher: ", more is better", lower: ", less is better" }[better] ?? "";
    return `${metric}${unit ? ` [${unit}]` : ""}${side}`;
  }

  async function draw(figure) {
    const spec = structuredClone(specs[figure.dataset.picture]);
    const isOfMetric = (spec.params ?? []).some(param => param.name === "metric");
    // One seed has no interval: a line without a length stands for it, so that the scale has its ends.
    // An interval ends where the metric's range does.
    const { low = -Infinity, high = Infinity } = isOfMetric ? metricOption()?.dataset ?? {} : {};
    let data = dataOf(figure).map(one => {
      const middle = one.mean ?? one.difference;
      if (typeof middle === "number" && typeof one.low !== "number") return { ...one, low: middle, high: middle };
      return typeof one.mean === "number" && isOfMetric ? { ...one, low: Math.max(one.low, low), high: Math.min(one.high, high) } : one;
    });
    figure.hidden = figure.dataset.one !== undefined ? data.length === 0 : !data.some(one => typeof (one.mean ?? one.value ?? one.difference) === "number");
    // Some pictures have room for one method alone.
    if (figure.dataset.one !== undefined && data.length > 0) {
      fillSelect(figure.querySelector("select.of"), methodsOf(document.getElementById(figure.dataset.table)), data[0].method);
    }
    figure.view?.finalize();
    figure.view = undefined;
    if (figure.hidden || !canDraw) return;
    const config = { ...specs.theme, axisY: { labelLimit: Math.max(120, Math.min(400, figure.clientWidth * 0.36)) } };
    fill(spec, data, scaleFor(data));
    spec.datasets = { rows: data };
    // Above it, viridis is light.
    const means = data.map(one => one.mean).filter(mean => typeof mean === "number"), least = Math.min(...means);
    const middle = least + 0.6 * (Math.max(...means) - least);
    for (const param of spec.params ?? []) param.value = param.name === "middle" ? middle : param.name === "metric" ? axisTitle(state.metric) : param.name === "against" ? axisTitle(state.against) : state[param.name];
    // In numbers, because Vega-Lite warns of a container's width beside a height by steps.
    if (spec.width === "container") spec.width = figure.clientWidth;
    const yField = spec.encoding?.y?.field;
    if (spec.height?.step) spec.height = spec.height.step * (yField === "model_says" ? answersOf(data).length : new Set(data.map(one => one[yField])).size);
    if (spec.facet?.row) {
      const columns = new Set(data.map(one => one[spec.facet.column.field])).size;
      spec.spec.width = Math.max(90, Math.min(200, Math.floor((figure.clientWidth - 40) / columns) - 58));
    } else if (spec.facet) {
      const room = figure.clientWidth;
      spec.columns = Math.max(1, Math.min(new Set(data.map(one => one[spec.facet.field])).size, Math.floor(room / 300)));
      if (!spec.usermeta?.fixedWidth) spec.spec.width = Math.max(120, Math.min(360, Math.floor(room / spec.columns) - 90));
      // A name that is cut may look like another one: over a panel it is broken into lines.
      const most = Math.floor(spec.spec.width / 6.5), names = new Set(data.map(one => String(one[spec.facet.field])));
      spec.params = [...(spec.params ?? []), { name: "lines", value: Object.fromEntries([...names].map(name => [name, lines(name, most)])) }];
      spec.facet.header = { ...spec.facet.header, labelExpr: "lines[datum.label]", labelLimit: spec.spec.width };
    }
    const plot = figure.querySelector(".plot");
    try {
      const { view } = await vegaEmbed(plot, spec, {
        config, renderer: "svg", ast: true, hover: true, actions: false, defaultStyle: false,
      });
      figure.view = view;
      overflowing(plot);
      view.addEventListener("click", (event, item) => { if (item?.datum?.method !== undefined) pick(item.datum.method); });
    } catch (error) {
      plot.textContent = `This picture could not be drawn: ${error.message}`;
      console.error(error);
    }
  }

  // ---- drawings

  // Of the drawings that fit: those of the followed method, else of the first, and of these the one that
  // was chosen last, where it is there.
  function showDrawings(set) {
    set.hidden = false;
    const fitting = [...set.children].filter(one => one.classList.contains("drawing") && fits(one, ["run", "dataset", "model"].filter(key => key in one.dataset)));
    set.hidden = fitting.length === 0;
    const methods = [...new Set(fitting.map(one => one.dataset.method))];
    const method = methods.includes(state.picked) ? state.picked : methods[0];
    const names = fitting.filter(one => one.dataset.method === method).map(one => one.dataset.name);
    const name = names.includes(set.name) ? set.name : names[0];
    for (const one of set.children) if (one.classList.contains("drawing")) {
      one.hidden = !fitting.includes(one) || one.dataset.method !== method || one.dataset.name !== name;
      if (!one.hidden) overflowing(one);
    }
    fillSelect(set.querySelector("select.of"), methods, method);
    fillSelect(set.querySelector("select.which"), names, name);
  }

  // A method that is chosen anywhere is followed through the page.
  const follow = method => { state.picked = method; update(); };

  const fillSelect = (select, values, value) => {
    select.replaceChildren(...values.map(text => new Option(text, text)));
    select.value = value;
  };

  const selectOf = (text, name, changed) => {
    const label = document.createElement("label"), select = document.createElement("select");
    select.className = name;
    select.addEventListener("change", () => changed(select.value));
    label.append(text, " ", select);
    return label;
  };

  function enhanceDrawings(set) {
    const bar = document.createElement("p"), save = document.createElement("button");
    bar.className = "choice";
    save.type = "button";
    save.textContent = "SVG";
    save.title = "Save this picture as SVG";
    save.addEventListener("click", () => saveDrawing(set));
    bar.append(selectOf("Method", "of", follow),
      selectOf(set.dataset.choice, "which", value => { set.name = value; showDrawings(set); }), save);
    set.prepend(bar);
  }

  // Each image goes along, and currentColor is black.
  function saveDrawing(set) {
    const drawing = set.querySelector(".drawing:not([hidden])");
    for (const [i, svg] of [...drawing.querySelectorAll("svg")].entries()) {
      const alone = svg.cloneNode(true), used = new Set([...alone.querySelectorAll("use")].map(one => one.getAttribute("href")));
      const defs = document.createElementNS("http://www.w3.org/2000/svg", "defs");
      for (const id of used) defs.append(document.querySelector(id).cloneNode(true));
      alone.prepend(defs);
      const text = new XMLSerializer().serializeToString(alone).replaceAll("currentColor", "#000");
      save(`${set.id}-${drawing.dataset.method}-${drawing.dataset.name}${i ? `-${i}` : ""}`.replace(/[^\w.-]+/g, "_").slice(0, 80) + ".svg", new Blob([text], { type: "image/svg+xml" }));
    }
  }

  // ---- downloads

  function save(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  const fileName = (figure, suffix) => `${figure.dataset.picture}-${[state.dataset, state.model, state.metric].join("-").replace(/[^\w.-]+/g, "_").slice(0, 80)}.${suffix}`;

  function csv(figure) {
    const data = dataOf(figure).map(({ label, ...one }) => one);
    const names = [...new Set(data.flatMap(Object.keys))];
    const field = one => (one === undefined || one === null ? "" : typeof one === "number" ? String(one) : `"${String(one).replaceAll('"', '""')}"`);
    return [names.map(field), ...data.map(one => names.map(name => field(one[name])))].map(line => line.join(",") + "\n").join("");
  }

  async function download(figure, kind) {
    if (kind === "CSV") return save(fileName(figure, "csv"), new Blob([csv(figure)], { type: "text/csv" }));
    // currentColor has no meaning outside the page: on paper it is black.
    if (kind === "SVG") return save(fileName(figure, "svg"), new Blob([(await figure.view.toSVG()).replaceAll("currentColor", "#000")], { type: "image/svg+xml" }));
    const canvas = await figure.view.toCanvas(3);
    const white = document.createElement("canvas");
    white.width = canvas.width;
    white.height = canvas.height;
    const paper = white.getContext("2d");
    paper.fillStyle = "#fff";
    paper.fillRect(0, 0, white.width, white.height);
    paper.drawImage(canvas, 0, 0);
    white.toBlob(blob => save(fileName(figure, "png"), blob), "image/png");
  }

  // ---- all together

  const metricOption = () => optionOf(state.metric);

  const chosenNow = () => Object.entries(state).filter(([, value]) => value !== "");
  const rememberChoice = () => { if (choices.length > 0) history.replaceState(null, "", "#" + new URLSearchParams(chosenNow())); };

  let generation = 0;
  async function update() {
    const mine = ++generation;
    for (const select of selects) if (!["reference", "against"].includes(select.id)) select.value = state[select.dataset.key];
    fillReferences();
    fillAgainst();
    document.getElementById("scale").disabled = metricOption()?.dataset.bounded !== undefined;
    find.value = state.find;
    const metric = metricOption();
    const better = { higher: "More is better.", lower: "Less is better.", none: "It describes, and ranks nothing." }[metric?.dataset.better] ?? "";
    document.getElementById("question").textContent = metric ? `${metric.dataset.question} ${better}` : "";
    for (const note of document.querySelectorAll(".doubt")) note.hidden = note.dataset.metric !== state.metric;
    tables.forEach(showTable);
    drawings.forEach(showDrawings);
    rememberChoice();
    for (const figure of figures) {
      await draw(figure);
      if (mine !== generation) return;
    }
    showSections();
    body.dataset.shown = new URLSearchParams(chosenNow()).toString();
    body.dataset.ready ??= performance.now().toFixed(0);
  }

  let resized;
  addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(update, 200); });

  function pick(method) {
    state.picked = state.picked === method ? "" : method;
    update();
  }

  function readHash() {
    if (!location.hash.includes("=")) return false;
    const asked = new URLSearchParams(location.hash.slice(1));
    for (const key of chosen) if (asked.has(key)) choose(key, asked.get(key));
    for (const key of ["reference", "picked", "find", "section", "against", "scale"]) state[key] = asked.get(key) ?? "";
    return true;
  }

  // What has numbers comes first.
  Object.assign(state, choices[Math.max(0, boards.findIndex(hasNumber))]);
  for (const figure of figures) {
    const plot = document.createElement("div");
    plot.className = "plot";
    const buttons = document.createElement("div");
    buttons.className = "buttons";
    for (const kind of canDraw ? ["SVG", "PNG", "CSV"] : ["CSV"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = kind;
      button.title = `Save ${kind === "CSV" ? "the numbers" : "this picture"} as ${kind}`;
      button.addEventListener("click", () => download(figure, kind));
      buttons.append(button);
    }
    if (figure.dataset.one !== undefined) {
      const whose = document.createElement("p");
      whose.className = "choice";
      whose.append(selectOf("Method", "of", follow));
      figure.append(whose);
    }
    figure.append(plot, buttons);
  }
  drawings.forEach(enhanceDrawings);
  for (const table of tables) {
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => sort(table, head));
    }
    table.addEventListener("click", event => {
      const button = event.target.closest("button.method");
      if (button) pick(rowOf(button.closest("tr")).method ?? button.textContent);
    });
  }
  for (const select of selects) select.addEventListener("change", () => { choose(select.dataset.key, select.value); update(); });
  for (const select of selects) if (!["reference", "against"].includes(select.id) && select.options.length < 2) select.disabled = true;
  find.addEventListener("input", () => { state.find = find.value; update(); });
  find.form.addEventListener("submit", event => event.preventDefault());
  // The hash holds the choice and the section, so that a link shows what its sender saw.
  function showSection() {
    const title = state.section && document.querySelector(`#${CSS.escape(state.section)} h2`);
    if (!title) return;
    document.documentElement.style.scrollPaddingTop = `${find.form.offsetHeight + 8}px`;
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
    title.scrollIntoView();
  }
  document.querySelector("nav").addEventListener("click", event => {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    state.section = link.getAttribute("href").slice(1);
    rememberChoice();
    showSection();
  });
  addEventListener("hashchange", () => { if (readHash()) update().then(showSection); });
  readHash();
  update().then(showSection);
})();
