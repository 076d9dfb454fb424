"use strict";
// Moves through a list and a form by keys. No key answers anything: it only moves the focus.
{
  const links = () => [...document.querySelectorAll("[data-live] li > a")];
  const move = (by) => {
    const list = links(), at = list.indexOf(document.activeElement);
    list[Math.min(Math.max(at + by, 0), list.length - 1)]?.focus();
  };
  const focus = (...selectors) => selectors.map((s) => document.querySelector(s)).find(
    (e) => e && !e.hidden)?.focus();
  const keys = {
    j: () => move(1),
    k: () => move(-1),
    d: () => focus("input[name=message]"),
    a: () => focus("button.passkey", "input[name=code]"),
    "?": () => document.querySelector(".keys").toggleAttribute("open"),
  };
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey ||
        e.target.matches("input:not([type=radio]):not([type=checkbox]), textarea")) {
      if (e.key === "Escape") {
        e.target.blur();
      }
      return;
    }
    if (Object.hasOwn(keys, e.key)) {
      keys[e.key]();
      e.preventDefault();
    }
  });
}
