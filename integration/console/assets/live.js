"use strict";
// Keeps the marked part of a page as the server has it, and moves through a list by keys.
const part = "[data-live]";
let busy = false, again = false;

async function refresh() {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  try {
    const answer = await fetch(location.href, {cache: "no-store", redirect: "error"});
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const now = document.querySelector(part), next = page.querySelector(part);
      if (now && next && now.innerHTML !== next.innerHTML) {
        const at = [...now.querySelectorAll("a")].indexOf(document.activeElement);
        now.replaceChildren(...document.importNode(next, true).childNodes);
        if (at >= 0) {
          now.querySelectorAll("a")[at]?.focus();
        }
      }
      document.title = page.title;
    }
  } finally {
    busy = false;
    if (again) {
      again = false;
      refresh();
    }
  }
}

const events = new EventSource(document.querySelector(part).dataset.live);
events.addEventListener("change", refresh);
events.addEventListener("open", refresh);

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey || e.target.matches("input, textarea")) {
    return;
  }
  const links = [...document.querySelectorAll(part + " li > a")];
  const at = links.indexOf(document.activeElement);
  if (e.key === "j" || e.key === "k") {
    links[Math.min(Math.max(at + (e.key === "j" ? 1 : -1), 0), links.length - 1)]?.focus();
  }
});
