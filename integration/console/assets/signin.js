// Signs in with a passkey, and goes back to a session of this browser that has not ended.
const button = document.querySelector("button"), said = document.querySelector("[role=status]");
const root = button.dataset.root, name = "tada-run session";

function remembered() {
  try {
    const path = localStorage.getItem(name);
    return /^\/[0-9a-f]{64}\/$/.test(path) ? path : null;
  } catch {
    return null; // storage is blocked
  }
}

function remember(path) {
  try {
    localStorage.setItem(name, path);
  } catch { /* it signs in again the next time */ }
}

async function back() {
  const path = location.pathname === "/" && remembered();
  if (path) {
    const answer = await fetch(path, {cache: "no-store", redirect: "error"});
    if (answer.ok) {
      location.replace(path);
    } else {
      localStorage.removeItem(name);
    }
  }
}

if (window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  button.hidden = false;
}
button.addEventListener("click", async () => {
  button.disabled = true;
  said.textContent = "";
  try {
    const begun = await post("sign-in/begin", {});
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(begun.options);
    const signed = await navigator.credentials.get({publicKey});
    const admitted = await post("sign-in/finish",
      {token: begun.token, response: signed.toJSON()});
    remember(admitted.root);
    location.replace(admitted.root);
  } catch (e) {
    said.textContent = why(e);
    button.disabled = false;
  }
});
back().catch(() => {});
