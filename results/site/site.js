// SPDX-License-Identifier: Apache-2.0
// The search over methods, metrics and studies. Without it every page is reached by links.
(() => {
  "use strict";
  const root = document.currentScript.dataset.root;
  const form = document.getElementById("search"), input = document.getElementById("find");
  const list = document.getElementById("found"), count = document.getElementById("count");
  const kMost = 12;

  // How well a page fits all the words: a name that is the word comes first, then one that begins with it.
  function place(page, words) {
    const name = page.name.toLowerCase(), all = `${name} ${page.kind} ${page.about.toLowerCase()}`;
    if (!words.every(word => all.includes(word))) return -1;
    const at = name.indexOf(words[0]);
    return name === words[0] ? 0 : at === 0 ? 1 : at > 0 ? 2 : 3;
  }

  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : conoscopePages
      .map(page => ({ page, place: place(page, words) }))
      .filter(one => one.place >= 0)
      .sort((a, b) => a.place - b.place);
    list.replaceChildren(...found.slice(0, kMost).map(({ page }) => {
      const item = document.createElement("li"), link = document.createElement("a"), about = document.createElement("span");
      link.href = root + page.page;
      link.textContent = page.name;
      about.textContent = ` ${page.kind}${page.about ? ": " + page.about : ""}`;
      item.append(link, about);
      return item;
    }));
    count.textContent = words.length === 0 ? "" : found.length === 0 ? "Nothing found."
      : found.length > kMost ? `${kMost} of ${found.length} pages:` : `${found.length} ${found.length === 1 ? "page" : "pages"}:`;
  }

  form.hidden = false;
  input.addEventListener("input", show);
  form.addEventListener("submit", event => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  document.addEventListener("keydown", event => {
    if (event.key === "Escape" && input.value) {
      input.value = "";
      show();
      input.focus();
    }
  });
})();
