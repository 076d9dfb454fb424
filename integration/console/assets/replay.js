// Shows a replay as the console plays it, and sends what the viewer does.
const panel = document.querySelector(".terminal"), {root, run} = panel.dataset;
const box = panel.querySelector(".box"), state = panel.querySelector(".state");
const position = panel.querySelector("[name=position]"), form = panel.querySelector("form");
const play = panel.querySelector("[data-key=space]");
const term = new Terminal({cols: 80, rows: 26, scrollback: 0, disableStdin: false, fontSize: 14,
  fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  minimumContrastRatio: 4.5, theme: {background: "#121316", foreground: "#e6e7ea"}});
let now = {total: 0}, held = false;

function send(cue) {
  if (socket.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify(cue));
  }
}

// fit chooses a font with which the columns are in the box; below 7 pixels the box scrolls.
function fit() {
  const drawn = box.querySelector(".xterm-screen").getBoundingClientRect();
  const wide = drawn.width / term.cols / term.options.fontSize;
  const size = Math.floor(2 * (box.clientWidth - 12) / (term.cols * wide)) / 2;
  term.options.fontSize = Math.min(14, Math.max(7, size || 14));
}

function show(scene) {
  now = scene;
  if (scene.cols !== term.cols || scene.rows !== term.rows) {
    term.resize(scene.cols, scene.rows);
    fit();
  }
  if (!held) {
    position.value = scene.total > 0 ? 1000 * scene.at / scene.total : 0;
  }
  position.setAttribute("aria-valuetext",
    Math.floor(scene.at) + " of " + Math.floor(scene.total) + " seconds");
  play.textContent = scene.paused ? "Play" : "Pause";
  state.textContent = scene.busy ? "searching" : scene.paused ? "paused" : "playing";
  term.write(scene.draw, () => {
    performance.mark("drawn");
    send({do: "drawn"});
  });
}

term.open(panel.querySelector(".screen"));
term.write("\x1b[?7l"); // rows are written to their last column
term.attachCustomKeyEventHandler((e) => e.key !== "Tab");
term.onData((text) => send({do: "type", text}));
new ResizeObserver(fit).observe(box);
const socket = new WebSocket(location.origin.replace(/^http/, "ws") + root + "run/" + run +
  "/replay/socket");
socket.addEventListener("message", (e) => show(JSON.parse(e.data)));
socket.addEventListener("close", () => {
  state.textContent = "ended; to see it again, reload the page";
});
for (const button of panel.querySelectorAll("[data-key]")) {
  button.addEventListener("click", () => send({do: "key", key: button.dataset.key}));
}
position.addEventListener("input", () => {
  held = true;
});
position.addEventListener("change", () => {
  held = false;
  send({do: "seek", at: position.value * now.total / 1000});
});
form.addEventListener("submit", (e) => {
  e.preventDefault();
  send({do: "find", text: form.elements.find.value});
});
form.elements.back.addEventListener("click", () =>
  send({do: "find", text: form.elements.find.value, back: true}));
addEventListener("pagehide", () => socket.close());
