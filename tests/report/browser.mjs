// SPDX-License-Identifier: Apache-2.0
// Chromium as the tests use it: offline, nothing kept, and every complaint written down.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const modules = createRequire(join(process.env.CONOSCOPE_TEST_MODULES, "x.js"));
const { chromium } = modules("playwright-core");

let browser;

/// Opens a file as a reader does: from disk. Ready when everything is drawn, where anything is drawn at all.
export async function open(file, { dark = false, width = 1200, hash = "", print = false, draws = true } = {}) {
  browser ??= await chromium.launch({
    executablePath: process.env.CONOSCOPE_TEST_CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const context = await browser.newContext({
    offline: true, acceptDownloads: true, colorScheme: dark ? "dark" : "light", viewport: { width, height: 900 },
  });
  const page = await context.newPage();
  const complaints = [], requests = [];
  page.on("console", message => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
  page.on("pageerror", error => complaints.push(`uncaught: ${error.message}`));
  page.on("dialog", dialog => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", request => { if (!/^(data|blob):/.test(request.url())) requests.push(request.url()); });
  if (print) await page.emulateMedia({ media: "print" });
  const url = pathToFileURL(file).href + hash;
  await page.goto(url, { timeout: 120000 });
  if (draws) await page.waitForFunction(() => document.body.dataset.ready, null, { timeout: 120000 });
  await page.evaluate(() => { for (const folded of document.querySelectorAll("main details")) folded.open = true; });
  return { page, complaints, requests, url, close: () => context.close() };
}

export const quit = () => browser?.close();

/// Lets the page change, and waits until it is drawn anew.
export async function change(page, act) {
  const before = await page.evaluate(() => { const shown = document.body.dataset.shown; delete document.body.dataset.shown; return shown; });
  await act();
  await page.waitForFunction(() => document.body.dataset.shown !== undefined, null, { timeout: 60000 });
  return before;
}

export const choose = (page, key, value) => change(page, () => page.selectOption(`select[data-key=${key}]`, value));

/// Points of a picture as drawn: what they say and where they stand, in pixels of the page.
export const points = (page, picture) =>
  page.locator(`#picture-${picture} [aria-roledescription=point]`).evaluateAll(all =>
    all.map(one => { const box = one.getBoundingClientRect(); return { label: one.getAttribute("aria-label"), x: box.x + box.width / 2, y: box.y + box.height / 2 }; }));

/// What a selector finds in a picture, in its order: what it says, and its box in pixels of the page.
export const boxes = (page, picture, selector) =>
  page.locator(`#picture-${picture} ${selector}`).evaluateAll(all =>
    all.map(one => { const { x, y, width, height } = one.getBoundingClientRect(); return { label: one.getAttribute("aria-label") ?? "", x, y, width, height }; }));

/// The texts of the rows that a table shows.
export const shownRows = (page, table) =>
  page.locator(`#${table} tbody tr:visible`).evaluateAll(rows => rows.map(row => [...row.cells].map(cell => cell.textContent)));

/// The numbers of all rows that fit the page's choice, of every method.
export const choiceData = (page, table) =>
  page.locator(`#${table} tbody.shown tr`).evaluateAll(rows => rows.map(row => JSON.parse(row.dataset.row)));

/// The numbers behind the rows that it shows.
export const shownData = (page, table) =>
  page.locator(`#${table} tbody tr:visible`).evaluateAll(rows => rows.map(row => JSON.parse(row.dataset.row)));
