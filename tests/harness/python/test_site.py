# SPDX-License-Identifier: Apache-2.0
"""The pages of the results that ship: every link leads somewhere, and no page loads anything from another host."""

import re
import runpy

from conftest import ROOT
from plugin_command import conoscope

dead_links = runpy.run_path(ROOT / "harness/packages/site/links.py")["dead_links"]


def test_dead_links_are_found(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<h2 id=plain>a</h2><h2 id="quoted">b</h2><a href="#plain"></a><a href="#quoted"></a><a href="#none"></a>'
        '<a href="sub/page.html"></a><a href="https://example.org/gone"></a><script>x = \'href="in_script"\'</script>')
    (tmp_path / "sub/page.html").write_text(
        '<a href="../index.html#plain"></a><a href="../index.html#gone"></a><img src="gone.svg"><script src="gone.js"></script>')
    assert dead_links(tmp_path) == [
        "index.html: #none", "sub/page.html: ../index.html#gone", "sub/page.html: gone.svg", "sub/page.html: gone.js"]


def test_a_site_of_the_results_that_ship(tmp_path):
    folder = tmp_path / "docs/board"
    folder.parent.mkdir()
    (folder.parent / "index.html").write_text("the documentation")
    conoscope("site", "published", "-o", str(folder), "--docs", "../index.html")
    assert all((folder / page).is_file() for page in ("study/quick.html", "study/audit.html", "explainer/kmeans.html"))
    assert dead_links(folder) == []
    for page in folder.rglob("*.html"):
        text = re.sub(r"(<script\b[^>]*>).*?</script>", r"\1", page.read_text(), flags=re.S)
        loaded = re.findall(r'<(?:img|script|link|iframe|object|source|use)\b[^>]*(?:src|href)="([^"]*)"', text)
        assert all(re.match(r"data:|#|(?:\.\./)?(?:style\.css|search\.js|site\.js)$", one) for one in loaded), f"{page}: {loaded}"
        assert not re.search(r"url\(|@import", text), page
