// The clipboard, also without TLS, where a browser offers no other way than a selection.

export async function copied(text) {
  if (await navigator.clipboard?.writeText(text).then(() => true, () => false)) return true;
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
