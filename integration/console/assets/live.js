"use strict";
// Keeps the marked part of a page as the server has it, while somebody can see it, and moves
// through a list by keys.
const part = "[data-live]", wait = 5000;
let busy = false, again = false, events = null;

function stale(is) {
  document.querySelector(part).classList.toggle("stale", is);
}

// chosen reports whether text in the part is selected: it would be lost.
function chosen() {
  const selection = getSelection();
  return !selection.isCollapsed && document.querySelector(part).contains(selection.anchorNode);
}

// replace shows what is new. What is scrolled stays where it is, or at the end if it was there.
function replace(now, next) {
  const focused = document.activeElement?.getAttribute("href");
  const places = [...now.querySelectorAll("pre")].map((e) =>
    e.scrollTop + e.clientHeight >= e.scrollHeight - 4 && e.scrollTop > 0 ? -1 : e.scrollTop);
  now.replaceChildren(...document.importNode(next, true).childNodes);
  now.querySelectorAll("pre").forEach((e, i) => {
    e.scrollTop = places[i] === -1 ? e.scrollHeight : places[i] ?? 0;
  });
  if (focused) {
    [...now.querySelectorAll("a")].find((a) => a.getAttribute("href") === focused)?.focus();
  }
}

async function refresh() {
  if (busy || chosen()) {
    again = true;
    return;
  }
  busy = true;
  try {
    const answer = await fetch(location.href, {cache: "no-store", redirect: "error"});
    if (answer.status === 403) {
      location.reload(); // the session has ended: nothing of it stays on the screen
      return;
    }
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const now = document.querySelector(part), next = page.querySelector(part);
      if (next && now.innerHTML !== next.innerHTML) {
        replace(now, next);
      }
      document.title = page.title;
    }
    stale(!answer.ok);
  } catch {
    stale(true);
  } finally {
    busy = false;
    if (again && !chosen()) {
      again = false;
      refresh();
    }
  }
}

function follow() {
  if (document.hidden || events) {
    return;
  }
  events = new EventSource(document.querySelector(part).dataset.live);
  events.addEventListener("change", refresh);
  events.addEventListener("open", refresh);
  events.addEventListener("error", () => {
    stale(true);
    if (events?.readyState === EventSource.CLOSED) {
      events = null;
      refresh();
      setTimeout(follow, wait);
    }
  });
}

// A browser has few connections to one server: who does not look needs none.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    events?.close();
    events = null;
  } else {
    follow();
  }
});
document.addEventListener("selectionchange", () => {
  if (again && !chosen()) {
    again = false;
    refresh();
  }
});
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
follow();
