// SPDX-License-Identifier: Apache-2.0
// Reads reports as a person does, in a browser without a network, and compares what stands there with
// what the other commands print. Run by ctest; see CMakeLists.txt.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { boxes, change, choiceData, choose, modules, open, points, quit, shownData, shownRows } from "./browser.mjs";
import { conoscope, folder, hostile, json, make, trains } from "./stores.mjs";

let pages;
before(() => { pages = make(); });
after(async () => {
  await quit();
  rmSync(folder, { recursive: true, force: true });
});

/// A page that is closed whatever happens.
async function reading(file, options, body) {
  const reader = await open(file, options);
  try { return await body(reader); } finally { await reader.close(); }
}

/// Positions are a straight line over the values: the two ends give it, all others lie on it.
function checkLinear(drawn, what) {
  const sorted = [...drawn].sort((a, b) => a.value - b.value);
  const [first, last] = [sorted[0], sorted.at(-1)];
  assert.ok(last.value > first.value && last.at > first.at, `${what}: the larger value stands farther on`);
  for (const one of sorted) {
    const expected = first.at + (last.at - first.at) * (one.value - first.value) / (last.value - first.value);
    assert.ok(Math.abs(one.at - expected) < 1, `${what}: ${one.name} stands at ${one.at}, not at ${expected}`);
  }
}

/// The leaderboard's picture against `conoscope board`: as many points as numbers, each of them where
/// its number is.
async function checkBoard(page, metric) {
  await choose(page, "metric", metric);
  const board = json("board", "plain", "-m", metric);
  const numbers = new Map();
  for (const row of board) {
    if (row[metric] !== null) numbers.set(`${row.explainer}, method`, row[metric]);
    for (const control of ["random_concepts", "random_importance"])
      if (typeof row[`${metric}@${control}`] === "number") numbers.set(`${row.explainer}, its twin: ${control}`, row[`${metric}@${control}`]);
  }
  const drawn = (await points(page, "board")).map(({ label, x }) => {
    const name = label.split(", ").slice(0, 2).join(", ");
    return { name, at: x, value: numbers.get(name) };
  });
  assert.deepEqual(drawn.map(one => one.name).sort(), [...numbers.keys()].sort());
  checkLinear(drawn, `the leaderboard of ${metric}`);
}

test("it is drawn from one file, without a complaint", () => reading(pages.plain, {}, async ({ page, complaints, requests, url }) => {
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests, [url]);
  for (const section of ["overview", "board", "difference", "ladder", "counts", "failures", "definitions"])
    assert.equal(await page.locator(`#${section} h2`).count(), 1, section);
  assert.equal(await page.locator("#changes").count(), 0, "one run alone changed nothing");
  for (const picture of ["board", "difference", "ladder", "curve", "pareto"])
    assert.ok((await points(page, picture)).length > 1, `${picture} is drawn`);
}));

test("the leaderboard's points are the board's numbers", () => reading(pages.plain, {}, async ({ page }) => {
  await checkBoard(page, "surf_top1");
  await checkBoard(page, "surf_emd");
}));

test("a specification with a wrong field is noticed", async () => {
  const html = readFileSync(pages.plain, "utf8");
  const wrong = html.replace(/("type": "point", "filled": true, "size": 60\},\s+"encoding": \{\s+"x": \{"field": )"mean"/, '$1"maen"');
  assert.notEqual(wrong, html);
  const file = join(folder, "mutated.html");
  writeFileSync(file, wrong);
  await reading(file, {}, async ({ page, complaints }) => {
    assert.ok(complaints.every(text => text.startsWith("WARN")), "to the browser it is no error");
    await assert.rejects(checkBoard(page, "surf_top1"), assert.AssertionError);
  });
});

test("the leaderboard's table is what `conoscope board` prints", () => reading(pages.plain, {}, async ({ page }) => {
  for (const metric of ["surf_mae", "surf_top1", "effective_concepts"]) {
    await choose(page, "metric", metric);
    const lines = conoscope("board", "plain", "-m", metric, "--marks", "--format", "md").split("\n").filter(line => line.startsWith("|"));
    const cells = line => line.split("|").slice(1, -1).map(cell => cell.trim().replace(/<sup>.*?<\/sup>/g, "").replaceAll("\\", "").replaceAll("**", ""));
    const columns = cells(lines[0]);
    const at = name => columns.findIndex(column => column.replace(" (!)", "") === name);
    const printed = lines.slice(2).filter(line => !line.startsWith("| ---")).map(cells)
      .filter(row => !/^-- .* --$/.test(row[at("explainer")]));  // a control's mean, a line among the methods
    const shown = await shownRows(page, "board-table");
    assert.deepEqual(shown.map(row => row.slice(0, 4)), printed.map(row => [row[at("rank")], row[at("explainer")], row[at("coverage")], row[at(metric)]]));
    const titles = await page.locator("#board-table thead th").allTextContents();
    for (const control of ["random_concepts", "random_importance"])
      if (at(`${metric}@${control}`) >= 0)
        assert.deepEqual(shown.map(row => row[titles.indexOf(control)]), printed.map(row => row[at(`${metric}@${control}`)]), control);
  }
}));

/// What `conoscope compare` says of two explainers; its exit code is 6 where they differ.
function comparison(a, b, metric) {
  try { return json("compare", `explainer:${a}`, `explainer:${b}`, "--run", "plain", "-m", metric); }
  catch (error) { if (error.status !== 6) throw error; return JSON.parse(error.stdout); }
}

/// Holm's corrected p-values, of p-values.
function holm(ps) {
  const order = ps.map((p, i) => [p, i]).sort((a, b) => a[0] - b[0]), out = [];
  let largest = 0;
  order.forEach(([p, i], place) => { largest = Math.max(largest, Math.min(1, p * (ps.length - place))); out[i] = largest; });
  return out;
}

test("methods x metrics: coloured by what is better, with the marks that `conoscope compare` would give", () => reading(pages.plain, {}, async ({ page }) => {
  const [table] = await page.locator("table[id^=standing-table]:visible").all();
  const heads = await table.locator("thead th").allTextContents();
  const rows = await table.locator("tbody tr").evaluateAll(all => all.map(row => [...row.cells].map(cell => ({ text: cell.textContent, good: cell.style.getPropertyValue("--good") }))));
  const steps = ["perfect", "random_importance", "random_concepts"];
  for (const metric of ["surf_emd", "surf_top1", "surf_mae"]) {
    const board = json("board", "plain", "-m", metric).filter(row => row[metric] !== null), higher = metric === "surf_top1";
    const cell = name => rows.find(row => row[0].text === name)[heads.findIndex(head => head.startsWith(metric) && !head.startsWith(`${metric}_`))];
    const means = board.map(row => row[metric]), low = Math.min(...means), high = Math.max(...means);
    for (const row of board) {
      const share = (row[metric] - low) / (high - low);
      assert.equal(cell(row.explainer).good, `${Math.round(100 * (higher ? share : 1 - share))}%`, `${metric} of ${row.explainer}`);
    }
    const methods = board.filter(row => !steps.includes(row.explainer)).map(row => row.explainer);
    const ps = holm(methods.slice(1).map(name => comparison(name, methods[0], metric)[0].p));
    methods.slice(1).forEach((name, i) => assert.equal(cell(name).text.includes("≈"), ps[i] > 0.05, `${metric} of ${name}: p ${ps[i]}`));
    for (const row of board.filter(row => cell(row.explainer).text.includes("✓")))
      for (const control of ["random_concepts", "random_importance"])
        assert.ok(higher === (row[metric] > row[`${metric}@${control}`]), `${metric}: ${row.explainer} is better than its twin`);
  }
}));

test("what has no number is a row that says why", () => reading(pages.plain, {}, async ({ page }) => {
  const row = (await shownRows(page, "board-table")).find(cells => cells[1] === "too many");
  assert.deepEqual(row.slice(0, 4), ["-", "too many", "0/3", "-"]);
  assert.match(row.at(-1), /failed: .*k = 5000 .*\(3 seeds\)/);
  assert.equal(await page.locator("#picture-board text", { hasText: "no number: failed" }).count(), 1);
  assert.equal((await shownRows(page, "failure-table")).length, 3 * json("query", "SELECT count(DISTINCT control) AS n FROM cell JOIN component ON component.key = cell.explainer WHERE name = 'too many'")[0].n);
}));

test("the metric changes order and axis", () => reading(pages.plain, {}, async ({ page }) => {
  const axis = () => page.locator("#picture-board .role-axis-title text").allTextContents();
  const order = async () => (await shownRows(page, "board-table")).map(row => row[1]);
  await choose(page, "metric", "surf_mae");
  const [[sentence]] = await shownRows(page, "headline-table");
  assert.match(sentence, /is the best of \d+ methods by surf_mae/);
  const first = await order();
  assert.deepEqual(await axis(), ["surf_mae [logits], less is better"]);
  await choose(page, "metric", "surf_rank_corr");
  assert.deepEqual(await axis(), ["surf_rank_corr, more is better"]);
  assert.notDeepEqual(await order(), first);
  const labels = await page.locator("#picture-board .role-axis-label text").allTextContents();
  assert.deepEqual((await order()).filter(name => labels.includes(name)), await order());
}));

test("differences are those of `conoscope compare`", () => reading(pages.plain, {}, async ({ page }) => {
  await choose(page, "metric", "surf_emd");
  await choose(page, "reference", "svd(k=2)");
  const shown = await shownRows(page, "difference-table");
  const drawn = [];
  for (const [method, , pairs, difference, low, high, p] of shown) {
    if (method === "svd(k=2)") continue;
    const rows = comparison(method, "svd(k=2)", "surf_emd");
    const digits = (text, number) => assert.ok(Math.abs(Number(text) - number) <= 1e-3 * Math.abs(number), `${method}: ${text} is not ${number}`);
    assert.equal(Number(pairs), rows[0].pairs);
    digits(difference, rows[0].difference);
    digits(low, rows[0].low);
    digits(high, rows[0].high);
    digits(p, rows[0].p);
    drawn.push({ name: method, value: rows[0].difference });
  }
  assert.ok(drawn.length > 4);
  const at = await points(page, "difference");
  assert.equal(at.length, drawn.length + 1);
  drawn.push({ name: "svd(k=2)", value: 0 });
  for (const one of drawn) one.at = at.find(({ label }) => label.startsWith(one.name + ", ")).x;
  checkLinear(drawn, "differences");
}));

test("the ladder says what `conoscope board sanity` says", () => reading(pages.plain, {}, async ({ page }) => {
  await choose(page, "metric", "surf_top1");
  const [row] = json("board", "sanity", "plain", "-m", "surf_top1");
  const [shown] = await shownRows(page, "ladder-table");
  assert.equal(shown[4], row.verdict);
  const means = (await points(page, "ladder")).map(({ y }) => -y);
  checkLinear(["Perfect", "Rand Imp", "Full Rand"].map((name, i) => ({ name, value: row[name], at: means[i] })), "the ladder");
}));

test("curves and chosen K are those of `conoscope board`", () => reading(pages.plain, {}, async ({ page }) => {
  await choose(page, "metric", "surf_top1");
  const curve = json("board", "curve", "plain", "-m", "surf_top1");
  const drawn = (await points(page, "curve")).filter(({ label }) => label !== null);
  const named = drawn.map(({ label, y }) => { const [method, k] = label.split(", "); return { name: label, at: -y, value: curve.find(row => row.method === method && `K ${row.k}` === k).mean }; });
  assert.equal(named.length, curve.length);
  checkLinear(named, "the curve");
  const [chosen] = json("board", "select-k", "plain", "-m", "surf_top1");
  const [shown] = await shownRows(page, "selection-table");
  assert.deepEqual(shown.slice(0, 2), [chosen.method, String(chosen.k)]);
}));

test("matrices and curves are the means of the scores' parts", () => reading(pages.models, {}, async ({ page, complaints }) => {
  const means = metric => json("query", `SELECT m.name AS method, part.part AS part, avg(part.value) AS mean
    FROM current_score AS current JOIN cell ON cell.key = current.cell JOIN component AS m ON m.key = cell.model
    JOIN sample_score AS part ON part.attempt = current.attempt AND part.metric = current.metric
    WHERE current.metric = '${metric}' AND cell.key IN (SELECT cell FROM run_cell JOIN run ON run.key = run_cell.run WHERE run.name = 'models') GROUP BY m.name, part.part`);
  const close = (number, other) => assert.ok(Math.abs(number - other) < 1e-9, `${number} is not ${other}`);

  const purity = means("ois");
  assert.equal(purity.length, 3 * 3 * 3, "three models, three concepts");
  const shown = await shownData(page, "purity-table");
  assert.equal(shown.length, purity.length);
  for (const { method, row, column, mean } of shown)
    close(mean, purity.find(one => one.method === method && one.part === 3 * Number(row) + Number(column)).mean);
  const squares = await page.locator("#picture-purity [aria-roledescription='rect mark']").evaluateAll(all => all.map(one => one.getAttribute("fill")));
  assert.equal(squares.length, purity.length);
  assert.ok(new Set(squares).size > 5, "their colours differ");

  // Of the data alone: once, both halves of it.
  const truth = means("mi_true_ic").slice(0, 3).map(one => one.mean);  // (0,1), (0,2), (1,2)
  const information = await shownData(page, "true-information-table");
  assert.equal(information.length, 6);
  for (const { row, column, mean } of information)
    close(mean, truth[Number(row) + Number(column) - 1]);

  const curves = ["random", "coop"].flatMap(policy => means(`intervention_${policy}`).map(one => ({ ...one, policy: policy === "coop" ? "CooP" : policy })));
  const drawn = await points(page, "intervention");
  assert.equal(drawn.length, curves.length);
  const rows = await shownData(page, "intervention-table");
  assert.equal(rows.length, curves.length);
  for (const { method, policy, told, mean } of rows)
    close(mean, curves.find(one => one.method === method && one.policy === policy && one.part === told).mean);
  // Heights within a panel are a straight line over the means.
  const range = method => { const means = rows.filter(row => row.method === method).map(row => row.mean); return Math.max(...means) - Math.min(...means); };
  const widest = rows.map(row => row.method).reduce((best, method) => (range(method) > range(best) ? method : best));
  const placed = rows.filter(row => row.method === widest).map(row => {
    const name = `${row.method}, ${row.policy}, told ${row.told}, `;
    return { name, value: row.mean, at: -drawn.find(({ label }) => label.startsWith(name)).y };
  });
  checkLinear(placed, "the curves");

  assert.equal(await page.locator("#spread").isVisible(), false, "a purity matrix is not what ois is made of");
  await choose(page, "metric", "intervention_random");
  const spread = await shownRows(page, "spread-table");
  assert.equal(spread.length, 3);
  assert.equal((await points(page, "spread")).length, 3);
  assert.deepEqual(complaints, []);
}));

/// The marks behind a picture of one method: those of the first method that its table shows.
async function marksOf(page, table) {
  const rows = await shownData(page, table);
  return rows.filter(row => row.method === rows[0].method).flatMap(({ marks, ...row }) => marks.map(mark => ({ ...row, ...mark })));
}

const groupBy = (all, key) => all.reduce((groups, one) => groups.set(key(one), [...(groups.get(key(one)) ?? []), one]), new Map());

/// One panel after the other: `drawn` and `values`, in one order, lie on a straight line.
function checkPanels(marks, drawn, panel, value, at, what) {
  assert.equal(drawn.length, marks.length, `${what}: as many marks as numbers`);
  assert.ok(marks.length > 0, what);
  const panels = groupBy(marks.map((mark, i) => ({ name: `${panel(mark)} ${value(mark)}`, panel: panel(mark), value: value(mark), at: at(drawn[i]) })), one => one.panel);
  let checked = 0;
  for (const [name, ones] of panels)
    if (new Set(ones.map(one => one.value.toFixed(6))).size > 1) { checkLinear(ones, `${what}, ${name}`); ++checked; }
  assert.ok(checked > 0, `${what}: some panel has several values`);
}

const centre = box => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

// Each picture of summaries: its dataset, the section of its specification that a mutant breaks, and
// how its marks are compared with the numbers under it.
const summaryPictures = {
  histogram: {
    dataset: "toy", wrong: ['"y": {"field": "value"', '"y": {"field": "valeu"'],
    async check(page) {
      const marks = await marksOf(page, "histogram-table"), drawn = await boxes(page, "histogram", "[aria-roledescription=bar]");
      // A panel has a place of its own: bars come panel by panel.
      checkPanels(marks, drawn, mark => mark.concept, mark => mark.value, box => box.height, "heights of bars");
      checkPanels(marks, drawn, mark => mark.concept, mark => mark.from, box => box.x, "places of bars");
    },
  },
  embedding: {
    dataset: "toy", wrong: ['"x": {"field": "first"', '"x": {"field": "frist"'],
    async check(page) {
      const marks = await marksOf(page, "embedding-table"), drawn = await boxes(page, "embedding", "[aria-roledescription=point]");
      checkPanels(marks, drawn, mark => mark.concept, mark => mark.first, box => centre(box).x, "first components");
      checkPanels(marks, drawn, mark => mark.concept, mark => mark.second, box => -centre(box).y, "second components");
    },
  },
  others: {
    dataset: "toy", wrong: ['"color": {"field": "others"', '"color": {"field": "ohters"'],
    async check(page) {
      const marks = await marksOf(page, "embedding-table"), drawn = await boxes(page, "others", "[aria-roledescription=point]");
      checkPanels(marks, drawn, mark => mark.concept, mark => mark.first, box => centre(box).x, "first components");
      // One colour for each pair of values, and four pairs in each panel.
      const fills = await page.locator("#picture-others [aria-roledescription=point]").evaluateAll(all => all.map(one => one.getAttribute("fill")));
      for (const [concept, ones] of groupBy(marks.map((mark, i) => ({ ...mark, fill: fills[i] })), mark => mark.concept)) {
        const pairs = new Set(ones.map(one => `${one.others} ${one.fill}`));
        assert.deepEqual([pairs.size, new Set(ones.map(one => one.fill)).size, new Set(ones.map(one => one.others)).size], [4, 4, 4], `concept ${concept}`);
        assert.ok(ones.every(one => !one.others.includes(`c${concept} `)), "no concept is among its others");
      }
    },
  },
  correlation: {
    dataset: "toy", wrong: ['"color": {"field": "mean", "type": "quantitative", "scale": {"scheme": "blueorange"', '"color": {"field": "mena", "type": "quantitative", "scale": {"scheme": "blueorange"'],
    async check(page) {
      const rows = await shownData(page, "correlation-table");
      const fills = await page.locator("#picture-correlation [aria-roledescription='rect mark']").evaluateAll(all => all.map(one => [one.getAttribute("aria-label"), one.getAttribute("fill")]));
      assert.equal(fills.length, rows.length);
      // Names over panels are whole.
      const titles = await page.locator("#picture-correlation .role-title-text text").allTextContents();
      assert.deepEqual(titles, [...new Set(rows.map(row => row.panel))]);
      // Equal numbers have one colour, different ones another.
      const colour = new Map(fills.map(([label, fill]) => [label.split(", ").slice(0, 3).join(", "), fill]));
      for (const row of rows) {
        const other = rows.find(one => Math.abs(one.mean - row.mean) > 0.3);
        const of = one => colour.get(`${one.panel}, row ${one.row}, column ${one.column}`);
        assert.ok(of(row), JSON.stringify(row));
        assert.notEqual(of(row), of(other));
      }
    },
  },
  dependency: {
    dataset: "sprites", wrong: ['"x": {"field": "column", "type": "ordinal", "sort": "rows", "axis": {"title": "factor"', '"x": {"field": "colunm", "type": "ordinal", "sort": "rows", "axis": {"title": "factor"'],
    async check(page) {
      const rows = await shownData(page, "dependency-table"), drawn = await boxes(page, "dependency", "[aria-roledescription='rect mark']");
      const factors = [...new Set(rows.map(row => row.column))];
      assert.ok(factors.includes("orientation"), "the data's own names");
      checkPanels(rows, drawn, row => row.panel, row => factors.indexOf(row.column), box => box.x, "factors");
      checkPanels(rows, drawn, row => row.panel, row => row.row, box => box.y, "latents");
    },
  },
  effect: {
    dataset: "sprites", wrong: ['"y": {"field": "mean", "type": "quantitative", "scale": {"zero": false}, "axis": {"title": "mean of latent"', '"y": {"field": "maen", "type": "quantitative", "scale": {"zero": false}, "axis": {"title": null'],
    async check(page) {
      const marks = await marksOf(page, "effect-table"), drawn = await boxes(page, "effect", "[aria-roledescription=point]");
      const panel = mark => `${mark.latent} ${mark.factor}`;
      checkPanels(marks, drawn, panel, mark => mark.mean, box => -centre(box).y, "means");
      checkPanels(marks, drawn, panel, mark => mark.value, box => centre(box).x, "values of factors");
    },
  },
  violin: {
    dataset: "sprites", wrong: ['"x2": {"field": "right"}', '"x2": {"field": "rihgt"}'],
    async check(page) {
      const marks = await marksOf(page, "violin-table"), drawn = await boxes(page, "violin", ".mark-area path");
      const violins = [...groupBy(marks, mark => `${mark.latent} ${mark.factor} ${mark.of}`).values()];
      const width = ones => Math.max(...ones.map(one => one.right)) - Math.min(...ones.map(one => one.left));
      const panel = ones => `${ones[0].latent} ${ones[0].factor}`;
      checkPanels(violins, drawn, panel, width, box => box.width, "widths of violins");
      checkPanels(violins, drawn, panel, ones => ones[0].at, box => -(box.y + box.height), "smallest codes");
    },
  },
};

test("pictures of summaries are drawn where their numbers are", () => reading(pages.pictures, {}, async ({ page, complaints }) => {
  for (const { dataset, check } of Object.values(summaryPictures)) {
    await choose(page, "dataset", dataset);
    await check(page);
  }
  assert.deepEqual(complaints, []);
}));

test("each of their specifications with a wrong field is noticed", async () => {
  const html = readFileSync(pages.pictures, "utf8");
  const wrong = Object.values(summaryPictures).reduce((text, { wrong: [right, mutant] }) => {
    assert.ok(text.includes(right), right);
    return text.replace(right, mutant);
  }, html);
  const file = join(folder, "mutated-summaries.html");
  writeFileSync(file, wrong);
  await reading(file, {}, async ({ page }) => {
    for (const [name, { dataset, check }] of Object.entries(summaryPictures)) {
      await choose(page, "dataset", dataset);
      await assert.rejects(check(page), assert.AssertionError, name);
    }
  });
});

/// The rows of a summary that the command writes, of the lowest seed.
function stored(name) {
  conoscope("export", "pictures", "--summaries", "-o", "summaries");
  const [head, ...lines] = readFileSync(join(folder, "summaries", `${name}.csv`), "utf8").trim().split("\n").map(line => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/));
  return lines.map(line => Object.fromEntries(line.map((field, i) => [head[i], field]))).filter(row => row.seed === "0");
}

test("summaries on the page are those that `conoscope export` writes", () => reading(pages.pictures, {}, async ({ page }) => {
  const same = (shown, wanted, what) => {
    assert.equal(shown.length, wanted.length, what);
    shown.sort((a, b) => a - b);
    wanted.sort((a, b) => a - b);
    shown.forEach((number, i) => assert.ok(Math.abs(number - wanted[i]) < 1e-9, what));
  };
  await choose(page, "dataset", "toy");
  const embedded = stored("embedding_components");
  // The values of the other concepts are those that their own rows hold.
  const truth = new Map(embedded.map(row => [`${row.model.replaceAll('"', "")} ${row.concept} ${row.sample}`, row.truth]));
  for (const { method, concept, marks } of await choiceData(page, "embedding-table"))
    for (const { sample, others } of marks)
      assert.equal(others, [0, 1, 2].filter(other => other !== concept).map(other => `c${other} = ${truth.get(`${method} ${other} ${sample}`)}`).join(", "));
  same((await choiceData(page, "embedding-table")).flatMap(row => row.marks.map(mark => mark.first)), embedded.map(row => Number(row.first)), "embeddings");
  const bins = stored("concept_histogram").filter(row => row.dataset === "toy").flatMap(row => Object.entries(row).filter(([name, count]) => name.startsWith("bin_") && Number(count) > 0).map(([, count]) => Number(count)));
  same((await choiceData(page, "histogram-table")).flatMap(row => row.marks.map(mark => mark.value)), bins, "histograms");
  const purity = stored("purity_matrix").filter(row => row.dataset === "toy");
  // One ideal, the mean of those that the models had trained.
  const ideals = [...groupBy(purity, row => `${row.representation} ${row.concept}`).values()].map(rows => rows.reduce((sum, row) => sum + Number(row.ideal), 0) / rows.length);
  same((await choiceData(page, "purity-table")).filter(row => row.panel.startsWith("ideal: ")).map(row => row.mean), ideals, "the ideal matrix");
  await choose(page, "dataset", "sprites");
  same((await choiceData(page, "effect-table")).flatMap(row => row.marks.map(mark => mark.mean)), stored("interventional_effect").map(row => Number(row.mean)), "effects");
  const cards = stored("concept_cards").filter(row => row.dataset === "sprites" && row.rank === "0");
  same((await choiceData(page, "card-table")).map(row => row.importance ?? row.share), cards.map(row => Number(row.importance || row.share)), "cards");
}));

/// What a .npy file of float32 or uint8 holds.
function npy(file) {
  const bytes = readFileSync(file), from = 10 + bytes.readUInt16LE(8), header = bytes.subarray(10, from).toString("latin1");
  const shape = header.match(/'shape': \(([^)]*)\)/)[1].split(",").filter(text => text.trim()).map(Number), type = header.match(/'descr': '(.*?)'/)[1];
  const read = { "<f4": i => bytes.readFloatLE(from + 4 * i), "|u1": i => bytes[from + i], "<i8": i => Number(bytes.readBigInt64LE(from + 8 * i)) }[type];
  assert.ok(read, type);
  return { shape, at: read };
}

test("images are those of the data, at their own size", () => reading(pages.pictures, {}, async ({ page }) => {
  await choose(page, "dataset", "sprites");
  const shown = page.locator("#cards .drawing:visible g.shown").first();
  const sample = Number((await shown.locator("title").textContent()).match(/test sample (\d+)/)[1]);
  const cell = json("query", "SELECT cell.key FROM cell JOIN component ON component.key = cell.dataset WHERE component.name = 'sprites' AND seed = 0 LIMIT 1")[0].key;
  conoscope("artifact", cell, "-o", "sprites");
  const inputs = npy(join(folder, "sprites/dataset/inputs.npy")), test = npy(join(folder, "sprites/dataset/test_index.npy"));
  const size = inputs.shape[1] * inputs.shape[2];
  const rows = Array.from({ length: test.shape[0] }, (_, i) => Array.from({ length: size }, (_, p) => inputs.at(test.at(i) * size + p)));
  const low = Math.min(...rows.map(row => Math.min(...row))), high = Math.max(...rows.map(row => Math.max(...row)));
  const decoded = await shown.locator("use").evaluate(async one => {
    const picture = new Image();
    picture.src = document.querySelector(one.getAttribute("href")).getAttribute("href");
    await picture.decode();
    const paper = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height }).getContext("2d");
    paper.drawImage(picture, 0, 0);
    return [picture.height, picture.width, ...paper.getImageData(0, 0, picture.width, picture.height).data.filter((_, i) => i % 4 === 0)];
  });
  assert.deepEqual(decoded, [inputs.shape[1], inputs.shape[2], ...rows[sample].map(value => Math.round(255 * (value - low) / (high - low)))]);
  const addresses = await page.locator("#images image").evaluateAll(all => all.map(one => one.getAttribute("href")));
  assert.equal(new Set(addresses).size, addresses.length, "each image is in the page once");
}));

if (trains) test("one sample explained: bars that add up to the surrogate's logit, beside the model's, and the twin's", () => reading(pages.pictures, {}, async ({ page }) => {
  await choose(page, "dataset", "digits");
  const drawings = await page.locator("#explained .drawing[data-dataset=digits]").evaluateAll(all => all.map(one => ({
    method: one.dataset.method, name: one.dataset.name, hidden: one.hidden,
    panels: [...one.querySelectorAll(".panel")].map(panel => ({ title: panel.dataset.title, bars: [...panel.querySelectorAll("rect")].map(bar => ({ kind: bar.getAttribute("class"), from: Number(bar.dataset.from), to: Number(bar.dataset.to), x: Number(bar.getAttribute("x")), width: Number(bar.getAttribute("width")) })) })),
  })));
  assert.equal(drawings.filter(one => !one.hidden).length, 1);
  const rows = stored("explained_samples");
  for (const { method, name, panels } of drawings) {
    assert.equal(panels.length, 2);
    for (const [i, { bars }] of panels.entries()) {
      const of = kind => bars.filter(bar => bar.kind === kind), [bias] = of("bias"), [surrogate] = of("surrogate"), [model] = of("model"), terms = of("term");
      let sum = bias.to - bias.from;
      for (const bar of terms) { assert.ok(Math.abs(bar.from - sum) < 1e-9, "a bar begins where the last one ended"); sum += bar.to - bar.from; }
      assert.ok(Math.abs(sum - surrogate.to) < 1e-9 * Math.max(1, Math.abs(sum)), `${name}: ${sum} is drawn for ${surrogate.to}`);
      const own = rows.filter(row => row.control === (i === 0 ? "none" : "random_importance") && row.explainer === method && row.sample === name.match(/test sample (\d+)/)[1]);
      assert.deepEqual(terms.map(bar => bar.to - bar.from).map(value => value.toFixed(9)), own.map(row => Number(row.contribution).toFixed(9)));
      assert.equal(surrogate.to, Number(own[0].surrogate_logit));
      assert.equal(model.to, Number(own[0].logit));
    }
    // One scale for both panels: the wider the bar, the larger the number.
    const all = panels.flatMap(({ bars }) => bars).filter(bar => bar.width > 1);
    for (const bar of all) assert.ok(Math.abs(bar.width / Math.abs(bar.to - bar.from) - all[0].width / Math.abs(all[0].to - all[0].from)) < 0.05 * bar.width, name);
  }
  // Another sample, and another method, by the selectors above.
  const which = page.locator("#explained select.which"), names = await which.locator("option").allTextContents();
  assert.equal(names.length, drawings.length);
  await which.selectOption(names[1]);
  assert.deepEqual(await page.locator("#explained .drawing:visible").evaluateAll(all => all.map(one => one.dataset.name)), [names[1]]);
  const [file] = await Promise.all([page.waitForEvent("download"), page.locator("#explained button", { hasText: "SVG" }).click()]);
  const text = readFileSync(await file.path(), "utf8");
  assert.equal(await page.evaluate(text => new DOMParser().parseFromString(text, "image/svg+xml").querySelectorAll("parsererror").length, text), 0);
  for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) assert.ok(text.includes(`id="${id}"`), "the image goes along");

  // Where model and surrogate agree: as many samples as the table says.
  const agreed = (await shownData(page, "surrogate-table")).flatMap(row => row.marks);
  assert.equal((await points(page, "surrogate")).length, agreed.length);
}));

if (trains) test("a sample under attack: what is drawn before and after adds up to the surrogate's logit", () => reading(pages.pictures, {}, async ({ page }) => {
  await choose(page, "dataset", "digits");
  const drawings = await page.locator("#attacked .drawing").evaluateAll(all => all.map(one => ({
    images: one.querySelectorAll("use").length,
    before: [...one.querySelectorAll(".before")].map(bar => Number(bar.dataset.value)), after: [...one.querySelectorAll(".after")].map(bar => Number(bar.dataset.value)),
  })));
  assert.equal(drawings.length, 4);
  for (const { images, before, after } of drawings) {
    assert.equal(images, 3);
    for (const bars of [before, after]) {
      const terms = bars.slice(0, -2), [surrogate] = bars.slice(-2);
      assert.ok(Math.abs(terms.reduce((sum, value) => sum + value, 0) - surrogate) < 1e-9 * Math.max(1, Math.abs(surrogate)));
    }
    assert.notDeepEqual(before.slice(1, -2), after.slice(1, -2));
  }
}));

test("concepts found again: each beside its matches in two other seeds", () => reading(pages.again, {}, async ({ page }) => {
  const rows = await choiceData(page, "found-again-table");
  assert.equal(rows.length, 6);
  const blocks = await page.locator("#found_again .drawing:visible svg").evaluateAll(all => all.map(one => ({ images: one.querySelectorAll("use").length, text: one.textContent })));
  assert.ok(blocks.length > 0);
  for (const { images, text } of blocks) {
    assert.equal(images, 12);
    assert.match(text, /seed 0: concept \d+\s+importance [\d.]+\s[^]*seed 1: concept \d+\s+importance [\d.]+, similarity [\d.]+\s[^]*seed 2: concept \d+\s+importance [\d.]+, similarity [\d.]+/);
  }
}));

test("pictures with room for one method show the one that is followed", () => reading(pages.pictures, {}, async ({ page }) => {
  await choose(page, "dataset", "toy");
  const names = [...new Set((await choiceData(page, "histogram-table")).map(row => row.method))];
  assert.equal(names.length, 2);
  for (const name of names) {
    await change(page, () => page.locator("#picture-histogram select.of").selectOption(name));
    assert.ok((await shownRows(page, "histogram-table")).every(row => row[0] === name));
    assert.ok((await boxes(page, "histogram", "[aria-roledescription=bar]")).every(({ label }) => label.startsWith(`${name}, `)));
  }
}));

test("a click follows a method through the pictures", () => reading(pages.plain, {}, async ({ page }) => {
  await change(page, () => page.locator("#board-table button.method", { hasText: "kmeans" }).first().click());
  for (const table of ["board-table", "difference-table"])
    assert.deepEqual(await page.locator(`#${table} tr.picked:visible th[scope=row]`).allTextContents().then(names => [...new Set(names)].length), 1, table);
  for (const picture of ["board", "difference", "pareto"]) {
    const opacity = await page.locator(`#picture-${picture} [aria-roledescription=point]`).evaluateAll(all => Object.fromEntries(all.map(one => [one.getAttribute("aria-label").split(", ")[0], one.getAttribute("opacity") ?? "1"])));
    const picked = Object.keys(opacity).filter(name => opacity[name] === "1");
    assert.equal(picked.length, 1, `${picture}: ${JSON.stringify(opacity)}`);
    assert.match(picked[0], /^kmeans/);
  }
  const back = await page.evaluate(() => location.hash);
  await reading(pages.plain, { hash: back }, async again => assert.equal(await again.page.locator("#board-table tr.picked:visible").count(), 1, "a link shows what its sender saw"));
  await change(page, () => page.locator("#picture-board [aria-roledescription=point]").first().click());
  assert.equal(await page.locator("#board-table tr.picked:visible th").textContent(), (await shownRows(page, "board-table"))[0][1]);
}));

test("the keyboard reaches everything", () => reading(pages.plain, {}, async ({ page }) => {
  await page.locator("#board-table thead button", { hasText: "method" }).focus();
  await change(page, () => page.keyboard.press("Enter"));
  const names = (await shownRows(page, "board-table")).map(row => row[1]);
  assert.deepEqual(names, [...names].sort());
  await page.locator("#board-table button.method").first().focus();
  await change(page, () => page.keyboard.press("Space"));
  assert.equal(await page.locator("#board-table button[aria-pressed=true]:visible").count(), 1);
}));

test("downloads parse", () => reading(pages.plain, {}, async ({ page }) => {
  for (const picture of ["board", "ladder"]) {
    const save = async kind => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`#picture-${picture} .buttons button`, { hasText: kind }).click()]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const svg = await save("SVG");
    assert.match(svg.name, /^\w+-digits-.*\.svg$/);
    assert.equal(await page.evaluate(text => new DOMParser().parseFromString(text, "image/svg+xml").querySelectorAll("parsererror").length, svg.bytes.toString()), 0);
    assert.doesNotMatch(svg.bytes.toString(), /NaN|currentColor/);
    const png = (await save("PNG")).bytes;
    assert.equal(png.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
    assert.ok(png.readUInt32BE(16) > 1000, "three pixels for each of the page's");
    const csv = (await save("CSV")).bytes.toString().trim().split("\n");
    const fields = line => line.replace(/"(""|[^"])*"/g, "text").split(",").length;
    assert.ok(csv.length > 6 && csv.every(line => fields(line) === fields(csv[0])), csv.join("\n"));
  }
}));

test("hostile names stay text", () => reading(pages.hostile, {}, async ({ page, complaints, requests, url }) => {
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests, [url]);
  assert.equal(await page.evaluate(() => document.body.dataset.hacked), undefined);
  assert.equal(await page.locator("main img, main script, main b, svg script, svg img").count(), 0);
  const names = (await shownRows(page, "board-table")).map(row => row[1]);
  // Line ends and what turns the direction of text are shown, not done.
  const asShown = name => name.replace("\n", "\\n").replace(/[\u202A-\u202E]/g, c => "\\u" + c.charCodeAt(0).toString(16));
  assert.deepEqual(names.sort(), hostile.map(asShown).sort());
  assert.equal((await points(page, "board")).filter(({ label }) => label.includes(", method, ")).length, hostile.length);
  for (const name of hostile) {
    const shown = asShown(name);
    await change(page, () => page.locator("#board-table button.method").nth((0)).evaluate((first, text) => [...document.querySelectorAll("#board-table button.method")].find(button => button.textContent === text).click(), shown));
    assert.equal(await page.locator("#board-table tr.picked:visible th").textContent(), shown);
  }
  await change(page, () => page.fill("#find", "<SCRIPT>"));
  assert.equal((await shownRows(page, "board-table")).length, 1);
  assert.deepEqual(complaints, []);
}));

test("two runs have a selector, and filters and sorts work", () => reading(pages.both, {}, async ({ page, complaints }) => {
  const runs = await page.locator("select[data-key=run] option").allTextContents();
  assert.equal(runs.length, 2);
  for (const run of runs) {
    await choose(page, "run", run);
    const names = (await shownRows(page, "board-table")).map(row => row[1]);
    assert.equal(names.includes("kmeans(k=5)") || names.some(name => name.startsWith("kmeans")), run === "plain");
  }
  // A date is more than its year.
  const created = async () => {
    await page.locator("#run-table thead button", { hasText: "created" }).click();
    return (await shownRows(page, "run-table")).map(row => row[1]);
  };
  const rising = await created();
  assert.deepEqual(rising, [...rising].sort());
  assert.notEqual(rising[0], rising.at(-1));
  assert.deepEqual(await created(), rising.reverse());
  await choose(page, "run", "plain");
  await change(page, () => page.fill("#find", "svd"));
  assert.ok((await shownRows(page, "board-table")).every(row => row[1].includes("svd")));
  assert.ok((await points(page, "board")).every(({ label }) => label.includes("svd")));
  const compared = await points(page, "pareto");
  assert.ok(compared.length === 3 && compared.every(({ label }) => label.startsWith("svd")), "the picture of two metrics follows the filter");
  await change(page, () => page.fill("#find", "no such method"));
  assert.match(await page.locator("#board .nothing").last().textContent(), /nothing for this choice/);
  assert.deepEqual(complaints, []);
}));

for (const [name, options] of Object.entries({ light: {}, dark: { dark: true }, narrow: { width: 390 }, print: { print: true }, "summaries, dark": { dark: true, of: "pictures" }, "summaries, narrow": { width: 390, of: "pictures" } }))
  test(`${name}: nothing runs over the edge, and axe finds nothing`, () => reading(pages[options.of ?? "plain"], options, async ({ page, complaints }) => {
    const [wide, room] = await page.evaluate(() => [document.scrollingElement.scrollWidth, innerWidth]);
    assert.ok(wide <= room, `${wide} pixels wide on ${room}`);
    if (name !== "print") {
      const top = () => page.locator(".selectors").evaluate(bar => bar.getBoundingClientRect().top);
      await page.locator("#definitions").scrollIntoViewIfNeeded();
      assert.equal(await top(), 0, "the selectors stay in view");
    }
    const source = readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8");
    await page.evaluate(source);  // the page's own policy would refuse a script element
    const found = await page.evaluate(async () => (await window.axe.run()).violations.map(one => `${one.id}: ${one.nodes.map(node => node.html.slice(0, 120)).join(" | ")}`));
    assert.deepEqual(found, []);
    assert.deepEqual(complaints, []);
  }));

test("injected script is refused", () => reading(pages.plain, {}, async ({ page }) => {
  await page.evaluate(() => { const script = document.createElement("script"); script.textContent = "document.body.dataset.hacked = 1"; document.body.append(script); });
  assert.equal(await page.evaluate(() => document.body.dataset.hacked), undefined);
}));

test("without the bundle the page filters and sorts", async () => {
  const html = readFileSync(pages.plain, "utf8");
  const scripts = html.split("<script>");
  assert.equal(scripts.length, 5, "three scripts of Vega and the page's own");
  const file = join(folder, "bare.html");
  writeFileSync(file, scripts[0] + "<script>" + scripts[4]);
  await reading(file, {}, async ({ page, complaints }) => {
    assert.equal(await page.locator("svg").count(), 0);
    await choose(page, "metric", "surf_top1");
    const sorted = async () => (await shownRows(page, "board-table")).map(row => row[1]);
    const byRank = await sorted();
    await change(page, () => page.locator("#board-table thead button", { hasText: "method" }).click());
    assert.deepEqual(await sorted(), [...byRank].sort());
    await change(page, () => page.fill("#find", "svd"));
    assert.deepEqual(await sorted(), byRank.filter(name => name.includes("svd")).sort());
    assert.deepEqual(complaints, []);
  });
});
