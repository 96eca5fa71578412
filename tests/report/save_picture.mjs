// node save_picture.mjs REPORT.html PICTURE OUT.svg [CHOICE]: saves a picture of a report, as its button
// does, on white. CHOICE is what the page's address holds behind #, as metric=surf_emd. Needs
// CONOSCOPE_TEST_MODULES and CONOSCOPE_TEST_CHROMIUM; see CMakeLists.txt.
import { readFileSync, writeFileSync } from "node:fs";
import { open, quit } from "./browser.mjs";

const [file, picture, out, choice = ""] = process.argv.slice(2);
const { page, close } = await open(file, { width: 900, hash: `#${choice}` });
const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`#picture-${picture} .buttons button`, { hasText: "SVG" }).click()]);
const svg = readFileSync(await download.path(), "utf8");
writeFileSync(out, svg.replace(/<svg ([^>]*)>/, '<svg $1><rect width="100%" height="100%" fill="#fff"/>'));
await close();
await quit();
