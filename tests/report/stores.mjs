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
metrics = ["ois", "surf_emd"]
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
  const hostileRun = conoscope("query", "SELECT substr(key, 1, 12) FROM run WHERE name LIKE '%hostile%'", "--format", "csv").split("\n")[1];
  const report = (name, ...runs) => {
    conoscope("report", ...runs, "-o", `${name}.html`);
    return join(folder, `${name}.html`);
  };
  return { plain: report("plain", "plain"), hostile: report("hostile", hostileRun), both: report("both", "plain", hostileRun), models: report("models", "models"), pictures: report("pictures", "pictures") };
}
