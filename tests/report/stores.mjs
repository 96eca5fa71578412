// SPDX-License-Identifier: Apache-2.0
// The runs that the tests look at, made with the built command in a folder of their own.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const folder = mkdtempSync(join(tmpdir(), "conoscope-report-"));

const environment = { PATH: "/usr/bin:/bin", HOME: folder, CONOSCOPE_STORE: join(folder, "store.db"), CONOSCOPE_CACHE: join(folder, "cache") };

export const conoscope = (...words) => execFileSync(process.env.CONOSCOPE_TEST_COMMAND, words, { cwd: folder, env: environment, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
export const json = (...words) => JSON.parse(conoscope(...words, "--format", "json"));

/// Whether this build trains models, which takes libtorch: only such a model shows where a concept fires.
export const trains = json("plugin", "list").some(plugin => plugin.id === "cnn");

/// Names that would be markup, quotes, lines or marks of another direction.
export const hostile = ["<script>document.body.dataset.hacked=1</script>", "\"><img src=x onerror=alert(1)>", "a 'quoted' & \\backslashed \"name\"", "two\nlines", "\u202Eright to left\u202C שלום", "n".repeat(300)];

const head = (name, more) => `name = "${name}"
seeds = [0, 1, 2]
controls = ["none", "random_importance", "random_concepts"]
${more}
[[dataset]]
id = "precomputed"
name = "digits"
params = { archive = "${process.env.CONOSCOPE_TEST_DIGITS}" }
[[model]]
id = "precomputed"
`;
const steps = ["perfect", "random_importance", "random_concepts"].map(id => `[[explainer]]\nid = "${id}"\n`).join("");

export function make() {
  const run = (file, text) => {
    writeFileSync(join(folder, file), text);
    const ended = spawnSync(process.env.CONOSCOPE_TEST_COMMAND, ["run", file, "--no-board", "-j", "2"], { cwd: folder, env: environment, encoding: "utf8" });
    // 4: finished, some cells failed, which is what one of them is here for.
    if (ended.status !== 0 && ended.status !== 4) throw new Error(`run ${file}: ${ended.status} ${ended.stderr}`);
  };
  run("plain.toml", head("plain", 'metrics = ["surf", "effective_concepts", "completeness"]') + steps +
    '[[explainer]]\nid = "kmeans"\n[[explainer]]\nid = "svd"\nparams = { k = [2, 4, 8] }\n[[explainer]]\nid = "pca"\nname = "too many"\nparams = { k = 5000 }\n');
  run("hostile.toml", head("<b>hostile</b> \\\"run\\\"", 'metrics = ["surf_emd", "surf_top1"]') +
    hostile.map((name, i) => `[[explainer]]\nid = "svd"\nname = ${JSON.stringify(name)}\nparams = { k = ${i + 10} }\n`).join(""));
  run("models.toml", `name = "models"
seeds = [0, 1]
metrics = ["ois", "mi_true_ic", "intervention_random", "intervention_coop"]
[[dataset]]
id = "tabular_toy"
params = { samples = 1000, test_share = 0.4 }
[[model]]
id = "ladder_concepts"
params = { disturbance = "shuffled", step = ["perfect", "half", "random"] }
`);
  run("pictures.toml", `name = "pictures"
seeds = [0, 1]
metrics = ["ois", "surf_emd"${trains ? ', "attack_input_concept"' : ""}]
summaries = true
[[dataset]]
id = "tabular_toy"
name = "toy"
params = { samples = 600, test_share = 0.4 }
[[dataset]]
id = "dsprites"
name = "sprites"
params = { samples = 600, test_share = 0.5 }
[[model]]
id = "ladder_concepts"
datasets = ["toy"]
params = { step = ["perfect", "half"], width = 4 }
[[model]]
id = "ladder_concepts"
datasets = ["sprites"]
[[model]]
id = "ladder_codes"
datasets = ["sprites"]
params = { disturbance = "mixed", step = ["perfect", "half"] }
` + (trains ? `[[dataset]]
id = "digits"
[[model]]
id = "cnn"
datasets = ["digits"]
params = { channels = [8, 16], epochs = 2 }
[[explainer]]
id = "svd"
controls = ["none", "random_importance"]
` : ""));
  // One network for all seeds: a head on six features, with images of 4 x 4 pixels.
  const table = (rows, columns, value) => Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => value(i, j)).join(",") + "\n").join("");
  writeFileSync(join(folder, "features.csv"), table(60, 6, (i, j) => Math.abs(Math.sin(1 + 7 * i + j))));
  writeFileSync(join(folder, "weight.csv"), table(2, 6, (i, j) => Math.sin(1 + 6 * i + j)));
  writeFileSync(join(folder, "classes.csv"), table(60, 1, i => i % 2));
  writeFileSync(join(folder, "bias.csv"), "0\n0\n");
  const shape = "{'descr': '|u1', 'fortran_order': False, 'shape': (60, 4, 4, 1), }".padEnd(117) + "\n";
  writeFileSync(join(folder, "images.npy"), Buffer.concat([Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, shape.length, 0]), Buffer.from(shape), Buffer.from(Array.from({ length: 960 }, (_, p) => p % 251))]));
  run("again.toml", `name = "again"
seeds = [0, 1, 2]
metrics = ["stability"]
summaries = true
[[dataset]]
id = "precomputed"
name = "features"
params = { activations = "features.csv", inputs = "images.npy", labels = "classes.csv", head_weight = "weight.csv", head_bias = "bias.csv", test_share = 0.5 }
[[model]]
id = "precomputed"
[[explainer]]
id = "svd"
params = { k = 3 }
`);
  const hostileRun = conoscope("query", "SELECT substr(key, 1, 12) FROM run WHERE name LIKE '%hostile%'", "--format", "csv").split("\n")[1];
  const report = (name, ...runs) => {
    conoscope("report", ...runs, "-o", `${name}.html`);
    return join(folder, `${name}.html`);
  };
  return { plain: report("plain", "plain"), hostile: report("hostile", hostileRun), both: report("both", "plain", hostileRun), models: report("models", "models"), pictures: report("pictures", "pictures"), again: report("again", "again") };
}
