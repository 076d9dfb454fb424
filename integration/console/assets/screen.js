// The terminal of a page: its box, its size, and its way to the console.
const panel = document.querySelector(".terminal"), {root, run} = panel.dataset;
const box = panel.querySelector(".box"), state = panel.querySelector(".state");
const term = new Terminal({cols: 80, rows: 24, scrollback: 0, disableStdin: true, fontSize: 14,
  fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  minimumContrastRatio: 4.5, theme: {background: "#121316", foreground: "#e6e7ea"}});

// cell is the size of a character for each pixel of the font's.
function cell() {
  const drawn = box.querySelector(".xterm-screen").getBoundingClientRect();
  return {width: drawn.width / term.cols / term.options.fontSize,
    height: drawn.height / term.rows / term.options.fontSize};
}

// within is how wide the terminal may be.
function within() {
  const style = getComputedStyle(box);
  return box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
}

// fit chooses a font with which that many columns are in the box; below 7 pixels nobody reads, and
// the box scrolls.
function fit(cols) {
  const size = Math.floor(2 * within() / (cols * cell().width)) / 2;
  term.options.fontSize = Math.min(14, Math.max(7, size || 14));
}

// shape gives the terminal the size of what comes.
function shape({cols, rows}) {
  if (cols !== term.cols || rows !== term.rows) {
    term.resize(cols, rows);
    fit(cols);
  }
}

// dial opens the connection that feeds a blank terminal.
function dial(page) {
  term.reset();
  term.write("\x1b[?7l"); // rows are written to their last column
  return new WebSocket(location.origin.replace(/^http/, "ws") + root + "run/" + run + page);
}
