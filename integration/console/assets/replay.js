// Shows a replay as the console plays it, and sends what the viewer does.
const position = panel.querySelector("[name=position]"), form = panel.querySelector("form");
const play = panel.querySelector("[data-key=space]");
let now = {total: 0}, held = false;

function send(cue) {
  if (socket.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify(cue));
  }
}

function show(scene) {
  now = scene;
  shape(scene);
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
term.options.disableStdin = false;
term.attachCustomKeyEventHandler((e) => e.key !== "Tab");
term.onData((text) => send({do: "type", text}));
new ResizeObserver(() => fit(term.cols)).observe(box);
const socket = dial("/replay/socket");
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
