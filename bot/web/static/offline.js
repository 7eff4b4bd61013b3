// The page without a server goes on to the page that was asked for once the server is back.

const AGAIN_MS = 2_000;

async function look() {
  const answer = await fetch("/offline", { cache: "no-store" }).catch(() => null);
  if (!answer?.ok) setTimeout(look, AGAIN_MS);
  else if (location.pathname === "/offline") location.replace("/");
  else location.reload();
}

setTimeout(look, AGAIN_MS);
