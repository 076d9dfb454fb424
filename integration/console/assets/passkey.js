// Approves with a passkey: what it signs is the answer.
const form = document.querySelector("form"), button = document.querySelector("button.passkey");
const said = document.querySelector("[role=status]"), root = button.dataset.root;

function answer() {
  const fields = new FormData(form), calls = {};
  for (const box of form.querySelectorAll("input[type=checkbox]")) {
    calls[box.name.replace(/^call /, "")] = box.checked;
  }
  return {question: form.dataset.question, plan: fields.get("plan"), proof: fields.get("proof"),
    message: fields.get("message"), calls,
    lasts: fields.get("lasts") ?? ""};
}

if (window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  button.hidden = false;
}
button.addEventListener("click", async () => {
  button.disabled = true;
  try {
    const given = answer();
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      await post("assert/begin", given));
    const signed = await navigator.credentials.get({publicKey});
    const taken = await post("assert/finish", {...given, response: signed.toJSON()});
    const back = document.createElement("a");
    back.href = root;
    back.textContent = "back to the questions";
    said.replaceChildren(taken.said, document.createElement("br"), back);
    form.replaceChildren();
  } catch (e) {
    said.textContent = why(e);
    button.disabled = false;
  }
});
