// A person's choices: kept in one cookie, which the server reads, too, and told to the style of the page.

const YEAR_S = 31_536_000;
const root = document.documentElement;

export function choice(name) { return root.dataset[name] || ""; }

document.addEventListener("change", ({ target }) => {
  const name = target.dataset.choice;
  if (!name) return;
  const value = target.type === "checkbox" && !target.checked ? "" : target.value;
  if (value) root.dataset[name] = value; else delete root.dataset[name];
  const words = [...document.querySelectorAll("[data-choice]")].map((field) => choice(field.dataset.choice)).filter(Boolean);
  document.cookie = `board=${words.join(".")}; path=/; max-age=${words.length ? YEAR_S : 0}; samesite=strict`;
});
