"use strict";
// post sends a step of a ceremony to the console, whose address the script after it has as root.
async function post(path, body) {
  const answer = await fetch(root + path, {method: "POST", redirect: "error",
    headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
  const text = await answer.text();
  if (!answer.ok) {
    throw new Error(text);
  }
  return JSON.parse(text);
}

// why is the reason of a failure. What browsers say of passkeys is for programmers.
function why(e) {
  return {InvalidStateError: "this device is paired already",
    NotAllowedError: "no passkey was used: that was cancelled, or it took too long"}[e.name] ??
    e.message;
}

