// The texts that scripts show, in the language of the page.

const texts = JSON.parse(document.getElementById("texts")?.textContent || "{}");

export function _(text, fields = {}) {
  return (texts[text] || text).replace(/%\((\w+)\)s/g, (whole, name) => fields[name]);
}
