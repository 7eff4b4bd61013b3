// Shows a page of its own where the server does not answer. It keeps nothing else: pages are private, and old at once.

const KEPT = "sixprime";
const PAGE = "/offline";
const PARTS = [PAGE, "/static/style.css?offline", "/static/offline.js?offline"];

addEventListener("install", (event) => {
  const fresh = PARTS.map((part) => new Request(part, { cache: "reload" }));
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(fresh)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => event.waitUntil(clients.claim()));

// A proxy may answer for a server that is away; our server's own answers have a policy.
function isOurs(answer) { return answer.status < 502 || answer.headers.has("content-security-policy"); }

async function pageOf(request) {
  const answer = await fetch(request).catch(() => null);
  return answer && isOurs(answer) ? answer : (await caches.match(PAGE)) || answer || Response.error();
}

addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname, search } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (mode === "navigate") event.respondWith(pageOf(event.request));
  else if (PARTS.includes(pathname + search)) event.respondWith(caches.match(pathname + search).then((kept) => kept || fetch(event.request)));
});
