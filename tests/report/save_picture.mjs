// SPDX-License-Identifier: Apache-2.0
// node save_picture.mjs REPORT.html PICTURE OUT [CHOICE] [WIDTH]: saves a picture of a report, as its button
// does, on white. OUT is a .svg file or, for pictures of very many marks, .webp. CHOICE is what the page's
// address holds behind #, as metric=surf_emd; WIDTH that of the page. Needs CONOSCOPE_TEST_MODULES and
// CONOSCOPE_TEST_CHROMIUM; see CMakeLists.txt.
import { readFileSync, writeFileSync } from "node:fs";
import { open, quit } from "./browser.mjs";

const [file, picture, out, choice = "", width = "900"] = process.argv.slice(2);
const { page, close } = await open(file, { width: Number(width), hash: `#${choice}` });
const figure = page.locator(`#picture-${picture}`);
writeFileSync(out, out.endsWith(".webp") ? await pixels() : small(await drawing()));
await close();
await quit();

async function drawing() {
  const [download] = await Promise.all([page.waitForEvent("download"), figure.locator(".buttons button", { hasText: "SVG" }).click()]);
  return readFileSync(await download.path(), "utf8");
}

/// A page that shows the picture says in words what it is, and nobody clicks on its marks.
function small(svg) {
  const font = /font-family="([^"]*)"/.exec(svg)?.[1] ?? "sans-serif";
  return svg
    .replace(/<path class="(background|foreground)"[^>]* d="(M0,0h0v0h0Z)?"[^>]*\/>/g, "")
    .replace(/ (aria-[a-z]+|role|pointer-events|class|font-family)="[^"]*"| (fill-|stroke-)?opacity="1"/g, "")
    .replace(/ (d|transform)="[^"]*"/g, places => places.replace(/\d+\.\d{2,}/g, number => Number(number).toFixed(1)))
    .replace(/<svg ([^>]*)>/, `<svg $1 font-family="${font}"><rect width="100%" height="100%" fill="#fff"/>`);
}

async function pixels() {
  const address = await figure.evaluate(async ({ view }) => {
    const drawn = await view.toCanvas(), white = document.createElement("canvas");
    Object.assign(white, { width: drawn.width, height: drawn.height });
    const paper = white.getContext("2d");
    paper.fillStyle = "#fff";
    paper.fillRect(0, 0, white.width, white.height);
    paper.drawImage(drawn, 0, 0);
    return white.toDataURL("image/webp", 0.8);
  });
  return Buffer.from(address.split(",")[1], "base64");
}
