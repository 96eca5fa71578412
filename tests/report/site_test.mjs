// SPDX-License-Identifier: Apache-2.0
// Reads a site as a person does, in a browser without a network. Run by ctest; see CMakeLists.txt.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { modules, open, quit } from "./browser.mjs";
import { conoscope, folder, hostile, json } from "./stores.mjs";

const site = join(folder, "site");
before(() => {
  writeFileSync(join(folder, "site.toml"), `name = "<b>hostile</b> \\"run\\""
seeds = [0, 1, 2]
controls = ["none", "random_concepts"]
metrics = ["surf_emd", "surf_top1", "explained_samples"]
[[dataset]]
id = "precomputed"
name = "digits"
params = { archive = "${process.env.CONOSCOPE_TEST_DIGITS}" }
[[model]]
id = "precomputed"
[[explainer]]
id = "kmeans"
` + hostile.map((name, i) => `[[explainer]]\nid = "svd"\nname = ${JSON.stringify(name)}\nparams = { k = ${i + 10} }\n`).join(""));
  conoscope("run", "site.toml", "--no-board", "-j", "2");
  conoscope("site", "-o", site);
});
after(async () => {
  await quit();
  rmSync(folder, { recursive: true, force: true });
});

const pages = () => readdirSync(site, { recursive: true, withFileTypes: true })
  .filter(one => one.isFile() && one.name.endsWith(".html"))
  .map(one => join(one.parentPath ?? one.path, one.name).slice(site.length + 1))
  .filter(path => !path.startsWith("report")).sort();

async function reading(path, options, body) {
  const reader = await open(join(site, path), { draws: false, ...options });
  try { return await body(reader); } finally { await reader.close(); }
}

test("every page is shown without a complaint, and loads the site's own files alone", async () => {
  assert.ok(pages().length >= 8, pages().join(" "));
  for (const path of pages())
    await reading(path, {}, async ({ page, complaints, requests }) => {
      assert.deepEqual(complaints, [], path);
      assert.ok(requests.every(url => url.startsWith(pathToFileURL(site).href)), `${path}: ${requests}`);
      assert.equal(requests.length, 4, `${path}: itself, its style and two scripts: ${requests}`);
      assert.equal(await page.evaluate(() => document.body.dataset.hacked), undefined);
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).maxWidth), "none", "the style sheet is used");
    });
});

for (const [name, options] of Object.entries({ light: {}, dark: { dark: true }, phone: { width: 360 } }))
  test(`${name}: nothing runs over the edge, and axe finds nothing`, async () => {
    const source = readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8");
    for (const path of pages())
      await reading(path, options, async ({ page }) => {
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(over <= 0, `${path} is ${over} pixels too wide`);
        await page.evaluate(source);
        const found = await page.evaluate(async () => (await window.axe.run()).violations.map(one => `${one.id}: ${one.nodes.map(node => node.html.slice(0, 120)).join(" | ")}`));
        assert.deepEqual(found, [], path);
      });
  });

test("the search finds a method and leads to it, by keyboard alone", () => reading("metrics.html", {}, async ({ page, complaints }) => {
  while (await page.evaluate(() => document.activeElement.id) !== "find") await page.keyboard.press("Tab");
  await page.keyboard.type("kmea");
  assert.deepEqual(await page.locator("#found a").allTextContents(), ["kmeans"]);
  assert.equal(await page.locator("#count").textContent(), "1 page:");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#found a").count(), 0);
  await page.keyboard.type("no such thing");
  assert.equal(await page.locator("#count").textContent(), "Nothing found.");
  await page.keyboard.press("Escape");
  await page.keyboard.type("surf_emd");
  await page.keyboard.press("Enter");
  await page.waitForURL(/metric\/surf_emd\.html$/);
  assert.equal(await page.locator("h1").textContent(), "surf_emd");
  assert.deepEqual(complaints, []);
}));

test("the front page has the board's numbers", () => reading("index.html", {}, async ({ page }) => {
  const board = json("board");
  const ranks = await page.locator("table tbody tr td:first-child").allTextContents();
  assert.deepEqual(ranks, board.map(row => String(row.rank)));
  const kmeans = board.find(row => row.explainer === "kmeans").surf_emd;
  const shown = page.locator("table tbody tr", { hasText: "kmeans" }).locator("td.n").nth(2);
  assert.ok(Math.abs(parseFloat(await shown.textContent()) / kmeans - 1) < 0.05, `${await shown.textContent()} | ${kmeans}`);
}));
