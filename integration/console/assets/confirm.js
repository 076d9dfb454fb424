// confirmAct returns what confirms an act: the assertion of a passkey, or the code shown in the
// terminal. It returns null if the person cancels. It needs post.js before it.
async function confirmAct(act, on) {
  const begun = await post("act/begin", {do: act, on});
  if (begun.options && window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
    try {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(begun.options);
      const signed = await navigator.credentials.get({publicKey});
      return {nonce: begun.nonce, response: signed.toJSON()};
    } catch (e) {
      if (e.name !== "NotAllowedError") {
        throw e;
      } // cancelled: perhaps the passkey is on another device
    }
  }
  await post("act/code", {do: act, on, nonce: begun.nonce});
  const code = await askCode(act);
  return code && {nonce: begun.nonce, code};
}

// askCode asks for the code in a dialog.
function askCode(act) {
  const dialog = document.createElement("dialog"), form = document.createElement("form");
  const label = document.createElement("label"), input = document.createElement("input");
  const row = document.createElement("p");
  form.method = "dialog";
  label.textContent = "To " + act + ": code shown in the terminal ";
  Object.assign(input, {type: "text", className: "code", maxLength: 6, required: true,
    autocomplete: "off", spellcheck: false});
  input.setAttribute("autocapitalize", "characters");
  row.className = "answers";
  for (const [text, value] of [["Confirm", "yes"], ["Cancel", "no"]]) {
    const button = document.createElement("button");
    Object.assign(button, {value, textContent: text, formNoValidate: value === "no",
      className: value === "yes" ? "approve" : ""});
    row.append(button);
  }
  label.append(input);
  form.append(label, row);
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => {
    dialog.remove();
    done(dialog.returnValue === "yes" ? input.value : null);
  }));
}
