// Takes a run back once a person has confirmed what the page shows. It needs confirm.js before it.
const button = document.querySelector("button.act"), said = document.querySelector("[role=status]");
const root = button.dataset.root;

button.addEventListener("click", async () => {
  const {do: act, on, both} = button.dataset;
  button.disabled = true;
  try {
    const confirmed = await confirmAct(act, on);
    if (confirmed) {
      const done = await post("undo", {do: act, on, both: both === "yes", ...confirmed});
      const link = document.createElement("a");
      link.href = root + "run/" + done.run;
      link.textContent = done.run;
      said.replaceChildren(done.said + ": ", link);
      button.remove();
      return;
    }
    said.textContent = "";
  } catch (e) {
    said.textContent = e.message;
  }
  button.disabled = false;
});
