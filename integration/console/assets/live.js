"use strict";
// Keeps the marked part of a page as the server has it, while somebody can see it.
const part = "[data-live]", wait = 5000;
let busy = false, again = false, events = null, tag = "";

function stale(is) {
  document.querySelector(part).classList.toggle("stale", is);
  document.querySelector(".gone").hidden = !is;
}

// chosen reports whether text in the part is selected: it would be lost.
function chosen() {
  const selection = getSelection();
  return !selection.isCollapsed && document.querySelector(part).contains(selection.anchorNode);
}

const name = (row) => row.querySelector("a")?.getAttribute("href");

// merge makes a list like another one. A row that is the same stays, and with it the focus.
function merge(now, next) {
  const had = new Map([...now.children].map((row) => [name(row), row]));
  const rows = [...next.children].map((row) => {
    const old = had.get(name(row));
    return old?.isEqualNode(row) ? old : document.importNode(row, true);
  });
  const stay = new Set(rows);
  const added = rows.filter((row) => !had.has(name(row))).length;
  [...now.children].forEach((row) => stay.has(row) || row.remove());
  rows.forEach((row, i) => {
    if (now.children[i] !== row) {
      now.insertBefore(row, now.children[i] ?? null);
    }
  });
  return added;
}

// replace shows what is new. What is scrolled stays where it is, or at the end if it was there.
function replace(now, next) {
  const focused = document.activeElement?.getAttribute("href");
  const lists = [now, next].map((e) => e.querySelectorAll(":scope > ul.list"));
  if (now.children.length === 1 && next.children.length === 1 && lists[0][0] && lists[1][0]) {
    tell(merge(lists[0][0], lists[1][0]));
  } else {
    const places = [...now.querySelectorAll("pre")].map((e) =>
      e.scrollTop + e.clientHeight >= e.scrollHeight - 4 && e.scrollTop > 0 ? -1 : e.scrollTop);
    tell(next.querySelectorAll(":scope > ul.list > li").length -
      now.querySelectorAll(":scope > ul.list > li").length);
    now.replaceChildren(...document.importNode(next, true).childNodes);
    now.querySelectorAll("pre").forEach((e, i) => {
      e.scrollTop = places[i] === -1 ? e.scrollHeight : places[i] ?? 0;
    });
  }
  if (focused && !document.activeElement?.matches("a")) {
    [...now.querySelectorAll("a")].find((a) => a.getAttribute("href") === focused)?.focus();
  }
}

// tell says to who hears the page that there is more in the list.
function tell(added) {
  if (added > 0) {
    document.querySelector(".told").textContent = added + " new: " + document.title;
  }
}

async function refresh() {
  if (busy || chosen()) {
    again = true;
    return;
  }
  busy = true;
  try {
    const answer = await fetch(location.href, {cache: "no-store", redirect: "error",
      headers: tag ? {"If-None-Match": tag} : {}});
    if (answer.status === 403) {
      location.reload(); // the session has ended: nothing of it stays on the screen
      return;
    }
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const now = document.querySelector(part), next = page.querySelector(part);
      document.title = page.title;
      if (next && !now.isEqualNode(next)) {
        replace(now, next);
      }
      tag = answer.headers.get("ETag") ?? "";
    }
    stale(!answer.ok && answer.status !== 304);
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
follow();
