// Has this device notified, tests that, and ends it.
const said = document.querySelector("[role=status]"), box = document.querySelector("[data-root]");
const root = box.dataset.root, key = box.dataset.key;
const blocked = "this browser does not let this site notify; see the settings of the site";
const [on, test, off] = ["on", "test", "off"].map((id) => document.getElementById(id));

function say(text) {
  said.textContent = text;
}

// text64 writes bytes as the console does.
function text64(buffer) {
  return btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function subscribed() {
  const worker = await navigator.serviceWorker.getRegistration("/");
  return await worker?.pushManager.getSubscription() ?? null;
}

async function subscribe() {
  if (await Notification.requestPermission() !== "granted") {
    throw new Error(blocked);
  }
  await navigator.serviceWorker.register("/sw.js", {scope: "/"});
  const worker = await navigator.serviceWorker.ready;
  let known = await worker.pushManager.getSubscription();
  if (known && text64(known.options.applicationServerKey) !== key) {
    await known.unsubscribe(); // it was for another key of the console
    known = null;
  }
  return known ?? worker.pushManager.subscribe({userVisibleOnly: true, applicationServerKey: key});
}

// nameOf is what the passkey signs of a subscription.
async function nameOf({endpoint, keys}) {
  const text = new TextEncoder().encode([endpoint, keys.p256dh, keys.auth].join("\n"));
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return new URL(endpoint).hostname + " " +
    [...sum].map((b) => b.toString(16).padStart(2, "0")).join("");
}

async function add() {
  const subscription = (await subscribe()).toJSON();
  const begun = await post("act/begin", {do: "notify", on: await nameOf(subscription)});
  if (!begun.options) {
    throw new Error("no passkey is paired for this address; on the machine, try: tadactl key pair");
  }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(begun.options);
  const signed = await navigator.credentials.get({publicKey});
  await post("notify/add", {subscription, nonce: begun.nonce, response: signed.toJSON()});
}

async function remove() {
  const known = await subscribed();
  if (known) {
    await post("notify/remove", {on: known.endpoint});
    await known.unsubscribe();
  }
}

async function tell() {
  const known = await subscribed();
  await post("notify/test", {on: known?.endpoint ?? ""});
  say("a test was sent");
}

// show shows the buttons that are of use now.
async function show() {
  const known = await subscribed();
  const state = known ? await post("notify/state", {on: known.endpoint}) : {};
  on.hidden = state.on === true;
  test.hidden = off.hidden = state.on !== true;
  return state;
}

// act takes a step. What it changes is also in the list of the page, so that is loaded again.
async function act(button, step, changes) {
  button.disabled = true;
  try {
    await step();
    if (changes) {
      location.reload();
    }
  } catch (e) {
    say(e.message);
  } finally {
    button.disabled = false;
  }
}

async function start() {
  if (!window.isSecureContext || !navigator.serviceWorker || !window.PushManager ||
      !window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
    say(window.isSecureContext ?
      "This browser cannot do it here. On an iPhone, first add this page to the home screen." :
      "Browsers do it only for https and for localhost: start the console with --listen " +
      "localhost:PORT, or with a certificate.");
    return;
  }
  on.addEventListener("click", () => act(on, add, true));
  test.addEventListener("click", () => act(test, tell, false));
  off.addEventListener("click", () => act(off, remove, true));
  const state = await show();
  say(Notification.permission === "denied" ? blocked : state.on ? "this device is notified" + (state.problem ? "; " + state.problem : "") :
    "this device is not notified");
}
start().catch((e) => say(e.message));
