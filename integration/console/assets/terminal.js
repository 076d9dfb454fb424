// Shows a run's terminal as the console draws it, and sends keys while this page has control.
const keyRow = panel.querySelector(".keys"), said = panel.querySelector("[role=status]");
const doers = [...panel.querySelectorAll("[data-do]")], again = 5000, unseen = 30000;
let socket = null, now = {}, credit = 0, waiting = [], ctrl = false, asked = "", timer = 0;

// room is the size that the terminal has in the box: 80 columns or more.
function room() {
  const {width, height} = cell(), most = within() / (14 * width);
  const cols = Math.floor(Math.max(80, Math.min(most, 200)));
  const font = Math.min(14, Math.max(7, 14 * most / cols));
  const rows = Math.floor(Math.min(50, Math.max(10, innerHeight * 0.6 / (font * height))));
  return {cols, rows};
}

function send(wish) {
  if (socket?.readyState === WebSocket.OPEN) {
    socket.send(typeof wish.byteLength === "number" ? wish : JSON.stringify(wish));
  }
}

// resize asks for the size of the box, once.
function resize() {
  const size = room(), text = now.epoch + " " + size.cols + " " + size.rows;
  if (now.you && text !== asked && (size.cols !== now.cols || size.rows !== now.rows)) {
    asked = text;
    send({do: "size", epoch: now.epoch, ...size});
  }
}

function offer() {
  const may = {"take over": !now.you, "give back": now.you, freeze: !now.frozen,
    continue: now.frozen, end: true};
  for (const button of doers) {
    button.hidden = !(now.session && !now.ended && socket && may[button.dataset.do]);
  }
  keyRow.hidden = !now.you;
  term.options.disableStdin = !now.you;
  term.textarea.tabIndex = now.you ? 0 : -1;
}

function show(turn) {
  const took = turn.you && !now.you, here = socket;
  if (now.you && !turn.you || now.epoch !== turn.epoch) {
    waiting = []; // it was typed for another situation
  }
  now = turn;
  credit += turn.took;
  state.textContent = turn.state;
  if (turn.said) {
    said.textContent = turn.said;
  }
  shape(turn);
  offer();
  if (took) {
    said.textContent = "";
    term.focus();
  }
  resize();
  flush();
  term.write(turn.draw, () => here === socket && send({do: "drawn"}));
}

function connect() {
  if (socket || now.ended || document.hidden) {
    return;
  }
  credit = 65536;
  waiting = [];
  const made = dial("/terminal/socket");
  socket = made;
  made.addEventListener("message", (e) => show(JSON.parse(e.data)));
  made.addEventListener("close", () => {
    if (socket !== made) {
      return;
    }
    socket = null;
    now = {...now, you: false};
    if (!now.ended) {
      state.textContent = "not connected";
      setTimeout(connect, again);
    }
    offer();
  });
}

// type sends keys as far as the session takes them.
function type(bytes) {
  if (now.you) {
    for (let at = 0; at < bytes.length; at += 8192) {
      waiting.push(bytes.slice(at, at + 8192));
    }
    flush();
  }
}

function flush() {
  while (waiting.length > 0 && credit >= waiting[0].length) {
    const bytes = waiting.shift(), packet = new Uint8Array(4 + bytes.length);
    new DataView(packet.buffer).setUint32(0, now.epoch);
    packet.set(bytes, 4);
    credit -= bytes.length;
    send(packet);
  }
}

// typed is what the keyboard sends; Ctrl of the row of keys is for the next key.
function typed(text) {
  if (ctrl && /^[@-_a-z]$/.test(text)) {
    text = String.fromCharCode(text.charCodeAt(0) & 31);
  } else if (text === "\x1d") { // Ctrl-]
    doers.find((b) => !b.hidden)?.focus();
    return;
  }
  hold(false);
  type(new TextEncoder().encode(text));
}

function hold(on) {
  ctrl = on;
  panel.querySelector("[data-key=Ctrl]").setAttribute("aria-pressed", on);
}

const arrows = {left: "D", up: "A", down: "B", right: "C"};
for (const button of keyRow.children) {
  const key = button.dataset.key;
  button.addEventListener("pointerdown", (e) => e.preventDefault()); // the keyboard stays
  button.addEventListener("click", () => {
    if (key === "Ctrl") {
      hold(!ctrl);
    } else {
      typed({Esc: "\x1b", Tab: "\t"}[key] ??
        (term.modes.applicationCursorKeysMode ? "\x1bO" : "\x1b[") + arrows[key]);
    }
  });
}
for (const button of doers) {
  const act = button.dataset.do;
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const wish = {do: act, epoch: now.epoch, ...room()};
      if (act === "take over" || act === "continue" || act === "end") {
        wish.confirmed = await confirmAct(act, run);
        if (!wish.confirmed) {
          return;
        }
      }
      said.textContent = "";
      send(wish);
    } catch (e) {
      said.textContent = e.message;
    } finally {
      button.disabled = false;
    }
  });
}

term.open(panel.querySelector(".screen"));
term.onData(typed);
term.onBinary((text) => type(Uint8Array.from(text, (c) => c.charCodeAt(0))));
term.attachCustomKeyEventHandler(() => Boolean(now.you));
term.attachCustomWheelEventHandler(() => now.you && term.modes.mouseTrackingMode !== "none");
new ResizeObserver(() => {
  fit(term.cols);
  resize();
}).observe(box);
// A session has few places: who does not look needs none. Who has control keeps it.
document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  timer = document.hidden ? setTimeout(() => now.you || socket?.close(), unseen) : 0;
  connect();
});
addEventListener("pagehide", () => socket?.close());
addEventListener("pageshow", connect);
offer();
connect();
