"use strict";
// Shows what waits, and opens the console. It keeps no page: they are private.
self.addEventListener("push", (e) => {
  const text = e.data ? e.data.text().slice(0, 80) : "a question waits";
  e.waitUntil(self.registration.showNotification(text,
    {tag: text, renotify: true, icon: "/icon-192.png"}));
});

async function show() {
  const pages = await self.clients.matchAll({type: "window", includeUncontrolled: true});
  if (pages.length > 0) {
    return pages[0].focus();
  }
  return self.clients.openWindow("/");
}

self.addEventListener("notificationclick", (e) => {
  e.notification.close();
  e.waitUntil(show());
});
