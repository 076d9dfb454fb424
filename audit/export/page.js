
const read = (id) => document.getElementById(id).textContent;
const player = AsciinemaPlayer.create(
  { data: read("cast") },
  document.getElementById("player"),
  { preload: true, controls: true, fit: "width", idleTimeLimit: 2, keystrokeOverlay: true, terminalFontSize: "medium" },
);
// page.html#12.5 opens at 12.5 seconds, so that a place can be named; #play plays.
const go = () => {
  const where = location.hash.slice(1);
  if (where === "play") player.play();
  else if (where) player.seek(Number(where) || 0);
};
window.addEventListener("hashchange", go);
go();
