# SPDX-License-Identifier: Apache-2.0
"""Methods in Python: metadata, calls, faults, provenance; docs/process-plugins.md."""

import json
import os
import pathlib
import platform
import py_compile
import re
import subprocess
import sys
import venv

import numpy as np
import pytest

from conftest import ROOT
from plugin_command import check, conoscope, failed

DIGITS = ROOT / "datasets/precomputed/digits/digits.npz"


def new(kind, name):
    conoscope("plugin", "new", kind, name, "--language", "python")
    return pathlib.Path(name) / f"{name}.py"


def run_file(path, entry, head=""):
    path.write_text(
        f"""name = "mine"
seeds = [0]
metrics = ["surf_mae"]
{head}
[[dataset]]
id = "precomputed"
params = {{ archive = "{DIGITS}" }}
[[model]]
id = "precomputed"
{entry}
"""
    )
    return path


SMALL = '''
# /// conoscope
# kind = "explainer"
# id = "small"
# version = "{version}"
# needs = [{needs}]
# offers = ["explanation"]
# ///
import numpy as np
import conoscope.plugin as cp


class Small(cp.Explainer):
    def fit(self, head, context):
        cavs = head.head_weight
        {body}
        return cp.Explanation(cavs=cavs, importance=np.ones(len(cavs)), counts=np.ones(len(cavs)))


cp.main(Small)
'''


def small(path, body="pass", needs='"head_view"', version="1"):
    path.write_text(SMALL.format(**locals()))
    return path


def rows(query, store):
    return json.loads(conoscope("query", query, "--store", store, "--format", "json")[0])


# ---- from nothing to the board --------------------------------------------------------------------


def test_the_template_passes_every_check_and_comes_on_the_board():
    file = new("explainer", "my_ica")
    found = check(file)
    skipped = {name for name, (verdict, _) in found.items() if verdict == "skipped"}
    assert skipped <= {"memory"}, found  # a busy machine is too slow to judge it
    assert {"projection", "reconstruction", "cancellation", "memory", "strided input"} <= set(found)
    run_file(
        pathlib.Path("run.toml"), f'[[explainer]]\nfile = "{file}"\nparams = {{ k = [1, 3] }}'
    )
    out, _ = conoscope("run", "run.toml")
    assert "my_ica(k=1)" in out and "my_ica" in out
    out, _ = conoscope("plan", "run.toml")  # nothing is left to do
    assert "2 done" in out, out


def test_metadata_are_read_without_running_anything(tmp_path):
    file = small(tmp_path / "small.py")
    file.write_text("raise SystemExit('was run')\n" + file.read_text())
    out, _ = conoscope("plugin", "info", file, CONOSCOPE_PYTHON="/no/such/python")
    assert "small" in out and "head_view" in out
    out, _ = conoscope(
        "plugin", "list", "explainer", "--plugin-path", tmp_path, CONOSCOPE_PYTHON="/no/such/python"
    )
    assert str(file) in out


def test_an_ordinary_script_is_silently_no_plugin(tmp_path):
    (tmp_path / "helper.py").write_text("print('nothing')\n")
    _, err = conoscope("plugin", "list", "--plugin-path", tmp_path)
    assert "helper" not in err
    _, err = conoscope("plugin", "info", tmp_path / "helper.py", code=3)
    assert "no comment block that begins with the line `# /// conoscope`" in err


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("kind =", "kinds =", "small.py: kind is missing"),
        ('"explainer"', '"explorer"', 'small.py:3: kind = "explorer" is not'),
        ('version = "1"', "version = 1", "small.py:5: version has the wrong type"),
        ("needs", "need", "small.py:6: unknown key need"),
        ('offers = ["explanation"]', 'offers = ["explanation"', "small.py:7: "),
        (
            "# offers",
            '# parameters.k = { type = "integer", default = "x" }\n# offers',
            "small.py:7: parameters.k: the default does not fit",
        ),
        ("# ///\nimport", "\nimport", "small.py:8: the block that begins in line 2 has no end"),
    ],
)
def test_a_mistake_in_the_block_is_named_by_file_line_and_key(tmp_path, old, new, message):
    file = small(tmp_path / "small.py")
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    _, err = conoscope("plugin", "info", file, code=3)
    assert message in err


def test_a_package_is_known_by_all_its_sources(tmp_path):
    package = tmp_path / "small"
    package.mkdir()
    small(package / "__main__.py", "import helper; helper.help()")
    (package / "helper.py").write_text("def help(): pass\n")

    def sha256():
        return re.search(r"sha256\s+(\w+)", conoscope("plugin", "info", package)[0])[1]

    before = sha256()
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "helper.pyc").write_text("what Python makes of it")
    assert sha256() == before
    assert check(package)["fit softmax"][0] == "pass"
    (package / "helper.py").write_text("def help(): return 1\n")
    assert sha256() != before


def test_a_package_runs_its_sources_whatever_python_has_kept_of_others(tmp_path):
    package = tmp_path / "small"
    (package / "inner").mkdir(parents=True)
    sources = ["__main__.py", "helper.py", "inner/__init__.py", "inner/helper.py"]
    for name in sources:
        (package / name).write_text("raise ValueError('of another source')\n")
        py_compile.compile(
            package / name, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
        )
        (package / name).write_text("")
    small(package / "__main__.py", "import helper, inner.helper")
    assert check(package)["fit softmax"] == ("pass", "")

    # Without a source there is nothing to run.
    py_compile.compile(package / "helper.py", cfile=package / "inner" / "alone.pyc")
    small(package / "__main__.py", "import inner.alone")
    name, why = failed(package)
    assert name == "fit softmax" and "No module named 'inner.alone'" in why, why


# ---- the interpreter ------------------------------------------------------------------------------


def test_the_interpreter_and_the_versions_of_the_packages_are_provenance(tmp_path):
    import numpy

    file = small(tmp_path / "small.py")
    run_file(tmp_path / "run.toml", f'[[explainer]]\nfile = "{file}"')
    conoscope("run", tmp_path / "run.toml", "--store", "s.db")
    out, _ = conoscope("query", "SELECT * FROM environment", "--store", "s.db", "--format", "json")
    python = ".".join(map(str, sys.version_info[:3]))
    assert f"small.py: {sys.executable}, python {python}, numpy {numpy.__version__}" in out


def package(folder, version, scale, needs=""):
    """Installed by nobody: a folder of PYTHONPATH."""
    (folder / "scales").mkdir(parents=True, exist_ok=True)
    (folder / "scales/__init__.py").write_text(f"SCALE = {scale}\n{needs}")
    for old in folder.glob("scales-*.dist-info"):
        (old / "METADATA").unlink()
        old.rmdir()
    notes = folder / f"scales-{version}.dist-info"
    notes.mkdir()
    (notes / "METADATA").write_text(f"Metadata-Version: 2.1\nName: scales\nVersion: {version}\n")


def test_a_package_that_changed_is_said_and_its_plugin_run_again(tmp_path):
    file = small(tmp_path / "small.py", "import scales")
    file.write_text(file.read_text().replace("importance=np.ones(", "importance=scales.SCALE * np.ones("))
    run = run_file(tmp_path / "run.toml", f'[[explainer]]\nfile = "{file}"')
    scores = "SELECT value FROM current_score WHERE metric = 'surf_mae'"

    def said(store="s.db"):
        _, err = conoscope("run", run, "--no-board", "--store", store, PYTHONPATH=str(tmp_path / "site"))
        return err

    def score(store="s.db"):
        return rows(scores, store)[0]["value"]

    package(tmp_path / "site", "1.0", 1)
    said()
    first = score()
    assert "1 done, 0 to do now" in said()

    package(tmp_path / "site", "2.0", 2)
    again = said()
    assert re.search(r"scales of plugin small: 1\.0/\w{16}, now 2\.0/\w{16}", again), again
    assert re.search(r"made by scales of plugin small 1\.0/\w{16}, here 2\.0/", again), again
    assert "0 done, 1 to do now" in again and "1 ok" in again
    second = score()
    assert second != first
    said("other.db")  # with the cache that both have filled
    assert score("other.db") == second

    # The same version, and other code; then what that imports.
    deeper = tmp_path / "site/deeper.py"
    deeper.write_text("")
    package(tmp_path / "site", "2.0", 3, "import deeper")
    assert "0 done, 1 to do now" in said()
    deeper.write_text("DEEP = 1")
    assert "deeper of plugin small: " in said()
    # A single file does not import what lies beside it.
    (tmp_path / "deeper.py").write_text("DEEP = 2")
    assert "1 done, 0 to do now" in said()


def test_the_run_file_names_the_interpreter(tmp_path):
    file = small(tmp_path / "small.py")
    bin_folder = tmp_path / ".venv/bin"
    bin_folder.mkdir(parents=True)
    (bin_folder / "python").symlink_to(sys.executable)
    run = run_file(tmp_path / "run.toml", f'[[explainer]]\nfile = "{file}"', 'python = ".venv/bin/python"')
    conoscope("run", run, CONOSCOPE_PYTHON="/no/such/python")
    run_file(run, f'[[explainer]]\nfile = "{file}"', 'python = ".venv/bin/none"')
    conoscope("run", run, "--store", "other.db", code=4)
    out, _ = conoscope("status", "--store", "other.db")
    assert ".venv/bin/none: no such program (python = ... in the run file)" in out


def test_what_is_no_python_is_told(tmp_path):
    file = small(tmp_path / "small.py")
    for program, message in [
        ("/no/such/python", "no such program (CONOSCOPE_PYTHON)"),
        ("/bin/true", "/bin/true: does not answer as Python 3.9 or newer does"),
    ]:
        out, _ = conoscope("plugin", "check", file, code=3, CONOSCOPE_PYTHON=program)
        assert message in out


def test_a_python_without_numpy_is_told_with_what_names_another(tmp_path):
    bare = tmp_path / "bare"
    venv.create(bare, symlinks=True)
    out, _ = conoscope(
        "plugin", "check", small(tmp_path / "small.py"), code=3, CONOSCOPE_PYTHON=bare / "bin/python"
    )
    assert "ModuleNotFoundError: No module named 'numpy'" in out
    python = platform.python_version()
    assert f"run by {bare}/bin/python {python}: CONOSCOPE_PYTHON, or python = ... in the run" in out


def test_two_versions_draw_the_same_and_another_major_version_does_not(tmp_path):
    entries = ""
    for version in ("0.1.0", "0.2.0", "1.0.0"):
        draw = "cavs = context.generator().normal(size=cavs.shape)"
        file = small(tmp_path / f"small-{version}.py", draw, version=version)
        entries += f'[[explainer]]\nfile = "{file}"\nname = "small {version}"\n'
    controls = 'controls = ["none", "random_importance", "random_concepts"]'
    conoscope("run", run_file(tmp_path / "run.toml", entries, controls), "--store", "s.db")
    found = rows(
        "SELECT control, plugin_version AS version, value FROM score "
        "JOIN attempt ON attempt.id = attempt JOIN cell ON cell.key = attempt.cell "
        "JOIN component ON component.key = explainer",
        "s.db",
    )
    value = {(row["control"], row["version"]): row["value"] for row in found}
    assert len(value) == 9
    for control in ("none", "random_importance", "random_concepts"):
        assert value[control, "0.1.0"] == value[control, "0.2.0"]
        assert value[control, "0.1.0"] != value[control, "1.0.0"]


def test_a_version_is_compared_and_run_again_by_its_name(tmp_path):
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    file = small(plugins / "small.py")
    entries = f'[[explainer]]\nfile = "{file}"\n[[explainer]]\nid = "perfect"\n'
    run = run_file(tmp_path / "run.toml", entries, "seeds = [0, 1]")
    run.write_text(run.read_text().replace('name = "mine"\nseeds = [0]\n', 'name = "small"\n'))
    conoscope("run", run, "--store", "s.db")
    # The run bears the explainer's name, and an explainer is what is compared with one.
    _, err = conoscope("compare", "small", "perfect", "--store", "s.db", code=None)
    assert "A is explainer small, B is explainer perfect" in err

    # No code is run that nobody has named, though it lies where the store says.
    out, _ = conoscope("verify", "s.db", code=4)
    assert "give the folder of its small.py, --plugin-path FOLDER" in out
    _, err = conoscope("verify", "s.db", "--plugin-path", plugins)
    assert "4 cells: 4 the same bit for bit" in err

    file.write_text(file.read_text().replace('version = "1"', 'version = "2"'))
    conoscope("run", run, "--store", "s.db")
    _, err = conoscope("compare", "small", "perfect", "--store", "s.db", code=2)
    assert "explainer small stands for 2: small@1, small@2; name one of these" in err
    out, _ = conoscope("compare", "small@1", "small@2", "--store", "s.db")
    assert "equal in all 2 pairs" in out


def test_a_package_is_found_again_by_its_folder(tmp_path):
    package = tmp_path / "plugins/small"
    package.mkdir(parents=True)
    small(package / "__main__.py")
    run = run_file(tmp_path / "run.toml", f'[[explainer]]\nfile = "{package}"\n')
    conoscope("run", run, "--store", "s.db")
    _, err = conoscope("verify", "s.db", "--plugin-path", tmp_path / "plugins")
    assert "1 cell: 1 the same bit for bit" in err


# ---- what a call is given, and what it may not do ---------------------------------------------------


def test_a_fit_sees_arrays_seed_threads_and_scratch(tmp_path):
    file = small(
        tmp_path / "small.py",
        "assert head.activations.dtype.kind == 'f' and not head.activations.flags.writeable;"
        "assert head.pooling and head.output and 'nothing' not in head;"
        "assert ('labels' in head) == (head.output == 'softmax');"
        "assert context.threads >= 1 and isinstance(context.seed, int);"
        "open(context.scratch + '/mine', 'w').write('x');"
        "context.progress(0.5); context.log('half way')",
    )
    assert check(file)["fit softmax"] == ("pass", "")


def test_it_is_confined(tmp_path):
    """What docs/plugins.md says that no plugin may."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/key").write_text("x")
    for body, error in [
        (f"open('{tmp_path}/secret/key').read()", "PermissionError"),
        (f"open('{tmp_path}/left', 'w')", "PermissionError"),
        ("import os; os.fork()", "PermissionError"),
        ("import socket; socket.socket()", "PermissionError"),
        ("import socket; socket.getaddrinfo('conoscope.invalid', 1)", "name resolution"),
        ("import os; os.kill(os.getppid(), 9)", "PermissionError"),
        ("import os; os.listdir(os.path.dirname(context.scratch))", "PermissionError"),
        ("import os; open('/proc/%d/cmdline' % os.getppid())", "PermissionError"),
        ("open(__file__[:-8] + 'neighbour.txt')", "PermissionError"),
    ]:
        folder = tmp_path / "plugins"
        folder.mkdir(exist_ok=True)
        (folder / "neighbour.txt").write_text("x")
        name, why = failed(small(folder / "small.py", body))
        assert name == "fit softmax" and error in why, (body, why)
        # what to do about it, once
        assert why.count('access = ["network"]') == 1 and "context.scratch" in why, (body, why)
    # Where nothing is confined, confinement is not to blame.
    body = "raise PermissionError(13, 'Permission denied')"
    _, why = next(
        (verdict, why)
        for verdict, why in check(
            small(folder / "small.py", body), "--confine=off", code=3
        ).values()
        if verdict == "FAIL"
    )
    assert "Permission denied" in why and "confined" not in why


def test_a_single_file_has_no_neighbours(tmp_path):
    (tmp_path / "helper.py").write_text("k = 1\n")
    _, why = failed(small(tmp_path / "small.py", "import helper"))
    assert "No module named 'helper'" in why and "make a folder of them, with a __main__.py" in why
    package = tmp_path / "small"
    package.mkdir()
    (tmp_path / "helper.py").rename(package / "helper.py")
    assert check(small(package / "__main__.py", "import helper"))["fit softmax"] == ("pass", "")


# ---- other kinds, other languages -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["dataset", "model", "metric"])
def test_the_templates_of_the_other_kinds_pass_every_check(kind):
    found = check(new(kind, f"my_{kind}"))
    skipped = {name: why for name, (verdict, why) in found.items() if verdict == "skipped"}
    allowed = {
        # What its model has no concepts, or its score no other kind of output, for.
        "model": {"intervention", "redrawn head", "decoder", "fit sigmoid", "fit regression"},
        "metric": set(),
        "dataset": set(),
    }[kind]
    assert set(skipped) - {"memory"} <= allowed, skipped  # a busy machine is too slow to judge it


def test_a_dataset_a_model_an_explainer_and_a_metric_in_python_make_a_board(tmp_path):
    files = {kind: new(kind, f"my_{kind}") for kind in ("dataset", "model", "explainer", "metric")}
    (tmp_path / "run.toml").write_text(
        'name = "all"\nseeds = [0]\nmetrics = ["surf_mae"]\n'
        + "".join(f'[[{kind}]]\nfile = "{tmp_path / file}"\n' for kind, file in files.items())
    )
    conoscope("run", tmp_path / "run.toml", "--store", "all.db")
    values = {row["metric"]: row["value"] for row in rows("SELECT metric, value FROM score", "all.db")}
    assert set(values) == {"my_metric", "surf_mae"} and values["my_metric"] > values["surf_mae"] > 0


FORWARD = """answer = head.forward(head.inputs[:3])
        assert answer.shape == head.activations[:3].shape and np.isfinite(answer).all()
        """


def test_an_explainer_runs_the_model(tmp_path):
    def caller(wrong=""):
        return small(tmp_path / "caller.py", FORWARD + wrong, '"head_view", "inputs", "forward"')

    assert check(caller())["fit softmax"] == ("pass", "")
    name, why = failed(caller("head.forward(head.inputs[:3, :2])"))
    assert name == "fit softmax" and "inputs are 3 x" in why, why


HEAD = """assert head.offers == ("head", "vjp")
        some = np.asarray(head.activations[:3], dtype=float)
        answer = head.head(some)
        assert np.allclose(answer, head.logits[:3])
        u = np.eye(len(head.head_weight))[:3]
        gradients, step = head.vjp(some, u), 1e-4
        along = np.sign(np.sin(np.arange(some.size))).reshape(some.shape)
        by_difference = (head.head(some + step * along) - head.head(some - step * along)) / (2 * step)
        assert np.allclose((gradients * along).sum(axis=(1, 2)), (u * by_difference).sum(axis=1), atol=1e-7)
        """


def test_an_explainer_runs_what_lies_above_the_layer(tmp_path):
    def caller(wrong=""):
        return small(tmp_path / "caller.py", HEAD + wrong, '"head_view", "head"')

    assert check(caller())["fit softmax"] == ("pass", "")
    for wrong, told in [
        ("head.head(some[:, :, :2])", "reshape"),
        ("head.vjp(some, u[:, :2])", "cotangents are 3 x 2, expected 3 x 3"),
        ("head.forward(head.inputs[:3])", "forward is not offered"),
    ]:
        name, why = failed(caller(wrong))
        assert name == "fit softmax" and told in why, why


BOTTLENECK = """
# /// conoscope
# kind = "model"
# id = "bottleneck"
# version = "1"
# needs = ["concept_view"]
# offers = ["concept_view"]
# seeded = false
# ///
import numpy as np
import conoscope.plugin as cp


class Bottleneck(cp.Model):
    def fit(self, dataset, context):
        names = ("concept_scores", "concept_probabilities", "task_outputs", "concept_head_weight", "concept_head_bias")
        return cp.Result(**{name: getattr(dataset, name) for name in names})

    def intervene(self, concepts):
        assert concepts.ndim == 3 and not concepts.flags.writeable
        rows = concepts.reshape(len(concepts), -1)
        return ANSWER


cp.main(Bottleneck)
"""


def test_a_bottleneck_answers_interventions_as_one_in_cpp_does(tmp_path):
    rng = np.random.default_rng(0)
    c = rng.integers(0, 2, (300, 4))
    c_hat = 1 / (1 + np.exp(-3 * (2 * c - 1) - rng.normal(0, 2, c.shape)))
    weight, bias = rng.normal(0, 2, (3, 4)), rng.normal(0, 1, 3)
    np.savez(
        tmp_path / "cbm.npz",
        concepts=c,
        labels=(c @ weight.T + bias).argmax(1),
        task_outputs=c_hat @ weight.T + bias,
        concept_head_weight=weight,
        concept_head_bias=bias,
    )
    np.save(tmp_path / "c_hat.npy", c_hat)
    file = tmp_path / "bottleneck.py"
    run = tmp_path / "run.toml"
    run.write_text(
        f"""metrics = ["intervention_oracle"]
[[dataset]]
id = "precomputed"
params = {{ concept_scores = "c_hat.npy", archive = "cbm.npz" }}
[[model]]
id = "precomputed_concepts"
[[model]]
file = "{file}"
"""
    )

    def scores(answer, store, code=0, old="", new=""):
        file.write_text(BOTTLENECK.replace(old, new).replace("ANSWER", answer))
        conoscope("run", run, "--store", store, code=code)
        found = rows(
            "SELECT plugin_id AS id, value FROM score JOIN attempt ON attempt.id = attempt "
            "JOIN cell ON cell.key = attempt.cell JOIN component ON component.key = model",
            store,
        )
        return {row["id"]: row["value"] for row in found}

    linear = "rows @ self.model.concept_head_weight.T + self.model.concept_head_bias"
    found = scores(linear, "good.db")
    wanted = found["precomputed_concepts"]
    assert wanted is not None
    assert found["bottleneck"] == pytest.approx(wanted, rel=1e-12)
    # One that takes the mask has 1 where a concept was told: where its score is no logistic one.
    mask = f"({linear}) if np.array_equal(told == 1, np.isin(rows, (0, 1))) else None"
    told = scores(mask, "told.db", old="intervene(self, concepts)", new="intervene(self, concepts, told)")
    assert told["bottleneck"] == pytest.approx(wanted, rel=1e-12)
    # Another answer is another score, and one of another shape is told.
    assert scores(f"-({linear})", "other.db")["bottleneck"] != pytest.approx(wanted, rel=1e-3)
    scores("rows[:, :2]", "wrong.db", code=4)
    out, _ = conoscope("status", "--store", "wrong.db")
    assert "intervene() is 60 x 2, expected 60 x 3" in out, out


ENCODER = """
# /// conoscope
# kind = "model"
# id = "encoder"
# version = "1"
# needs = ["inputs"]
# offers = ["latent_view"]
# seeded = false
# ///
import numpy as np
import conoscope.plugin as cp


class Encoder(cp.Model):
    def fit(self, dataset, context):
        rows = dataset.inputs.reshape(len(dataset.inputs), -1).astype(float)
        _, _, directions = np.linalg.svd(rows[dataset.train_index], full_matrices=False)
        return cp.Result(codes=rows @ directions[:3].T, directions=directions[:3], shape=dataset.inputs.shape[1:])

    def decode(self, codes):
        rows = codes @ self.model.directions
        return ANSWER


cp.main(Encoder)
"""


def test_an_encoder_decodes(tmp_path):
    def encoder(answer):
        file = tmp_path / "encoder.py"
        file.write_text(ENCODER.replace("ANSWER", answer))
        return file

    answer = "rows.reshape((-1, *self.model.shape))"
    assert check(encoder(answer))["decoder"] == ("pass", "")
    for wrong, told in [
        ("rows[:, :2]", "decode() is 32 x 2, expected 32 x"),
        (f"({answer}) - rows.mean()", "depends on the rows around it"),
        (f"({answer}) * np.inf", "decode() left NaN or infinity"),
    ]:
        name, why = failed(encoder(wrong))
        assert name == "decoder" and told in why, why


def test_an_explainer_without_a_library_of_ours_in_perl():
    """The example of docs/process-plugins.md."""
    file = ROOT / "docs/examples/weight_direction.pl"
    found = check(file)
    assert {"fit softmax", "strided input", "memory", "cancellation"} <= set(found)
    out, _ = conoscope("plugin", "list", "explainer", "--plugin-path", file.parent)
    assert "weight_direction" in out
    run_file(pathlib.Path("run.toml"), f'[[explainer]]\nfile = "{file}"\n[[explainer]]\nid = "perfect"')
    conoscope("run", "run.toml", "--store", "s.db")
    values = [row["value"] for row in rows("SELECT value FROM score", "s.db")]
    assert len(values) == 2 and values[0] == pytest.approx(values[1], abs=1e-9)


# ---- the documentation --------------------------------------------------------------------------------


def blocks(page, language):
    text = (ROOT / "docs" / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def test_the_four_commands_of_the_guide_lead_to_the_board(tmp_path):
    commands = next(b for b in blocks("plugins.md", "sh") if "--language python" in b)
    folder = pathlib.Path(os.environ["CONOSCOPE"]).parent
    done = subprocess.run(
        ["sh", "-ec", commands],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PATH": f"{folder}:{os.environ['PATH']}",
            "CONOSCOPE_PYTHON": sys.executable,
        },
    )
    assert done.returncode == 0, done.stdout + done.stderr
    board = done.stdout[done.stdout.index("pass     standard output") :]
    assert all(name in board for name in ("my_ica", "perfect", "svd")), board


def test_the_file_of_the_guide_passes(tmp_path):
    (code,) = (b for b in blocks("plugins.md", "python") if "cp.main" in b)
    (tmp_path / "my_method.py").write_text(code)
    check(tmp_path / "my_method.py")
