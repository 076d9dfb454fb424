// Makes a passkey on this device and pairs it. The token is in the fragment, which browsers keep.
const button = document.querySelector("button"), said = document.querySelector("[role=status]");
const root = button.dataset.root, token = location.hash.slice(1);

button.addEventListener("click", async () => {
  button.disabled = true;
  try {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      await post("pair/begin", {token}));
    const made = await navigator.credentials.create({publicKey});
    const paired = await post("pair/finish", {token, response: made.toJSON()});
    document.querySelectorAll(".before").forEach((e) => e.remove());
    said.textContent = "paired: " + paired.name;
    for (const [page, text] of [["", "To the questions"],
      ["notifications", "Notify this device"]]) {
      const link = document.createElement("a"), line = document.createElement("p");
      link.href = paired.root + page;
      link.textContent = text;
      line.append(link);
      said.parentNode.append(line);
    }
  } catch (e) {
    said.textContent = why(e);
    button.disabled = false;
  }
});
