# SPDX-License-Identifier: Apache-2.0
"""Links of a site's pages that lead nowhere."""

import html
import re


def dead_links(site):
    """Of our own pages: to files and to places in them."""
    ids, dead = {}, []

    def places(page):
        if page not in ids:
            ids[page] = set(re.findall(r'\bid="?([^"\s>]+)', read(page)))
        return ids[page]

    def read(page):  # scripts hold what looks like links
        return re.sub(r"(<script\b[^>]*>).*?</script>", r"\1", page.read_text(errors="replace"), flags=re.S)

    for page in sorted(site.rglob("*.html")):
        if page.is_relative_to(site / "cpp") or page.name == "404.html":  # its links begin at the host
            continue
        for link in re.findall(r'(?:href|src)="([^"]+)"', read(page)):
            path, _, place = html.unescape(link).partition("#")
            if re.match(r"[a-z]+:|//", path) or place.startswith("__"):
                continue
            to = (page.parent / path).resolve() if path else page
            to = to / "index.html" if to.is_dir() else to
            if not to.exists() or (place and to.suffix == ".html" and place not in places(to)):
                dead.append(f"{page.relative_to(site)}: {link}")
    return dead
