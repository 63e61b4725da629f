// The installed desk without its network: static files, the desks' forms as they were last seen, and a page that says so.
"use strict";
const VERSION = new URL(self.location).searchParams.get("v") || "0", FILES = `files-${VERSION}`, PAGES = "pages";
const DESK = /^\/events\/[A-Z0-9]+\/desk\/[\w-]+$/;
const kept = (url) => url.pathname.startsWith("/static/") || url.pathname.startsWith("/fonts/");

self.addEventListener("install", (event) => event.waitUntil((async () => {
  await (await caches.open(PAGES)).add("/offline");
  await self.skipWaiting();
})()));
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== FILES && name !== PAGES) await caches.delete(name);
  await self.clients.claim();
})()));
self.addEventListener("message", (event) => { if (event.data === "forget") event.waitUntil(caches.delete(PAGES)); });

async function file(request) {
  const box = await caches.open(FILES), there = await box.match(request);
  if (there) return there;
  const answer = await fetch(request);
  if (answer.ok) await box.put(request, answer.clone());
  return answer;
}
async function page(request, url) {
  const box = await caches.open(PAGES);
  try {
    const answer = await fetch(request);
    if (answer.ok && !answer.redirected && DESK.test(url.pathname) && !url.search) await box.put(url.pathname, answer.clone());
    return answer;
  } catch (problem) {
    const there = (DESK.test(url.pathname) && await box.match(url.pathname)) || await box.match("/offline");
    if (!there) throw problem;
    return there;
  }
}
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== self.location.origin) return;
  if (kept(url)) event.respondWith(file(event.request));
  else if (event.request.mode === "navigate") event.respondWith(page(event.request, url));
});
