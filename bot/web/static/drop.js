// Match files that are dropped anywhere on a page.

const drop = document.getElementById("drop");

if (drop) {
  const form = drop.querySelector("form"), field = drop.querySelector("input[type=file]");
  const large = drop.querySelector("[data-too-large]");
  const fits = () => {
    const size = [...field.files].reduce((sum, file) => sum + file.size, 0);
    large.hidden = size <= Number(field.dataset.most);
    return large.hidden;
  };
  drop.querySelector("[data-drop]").hidden = false;
  form.addEventListener("submit", (event) => { if (!fits()) event.preventDefault(); });
  field.addEventListener("change", fits);
  let depth = 0;
  const mark = (by) => { depth = Math.max(0, depth + by); drop.classList.toggle("over", depth > 0); };
  addEventListener("dragenter", () => mark(1));
  addEventListener("dragleave", () => mark(-1));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    mark(-depth);
    if (!event.dataTransfer?.files.length) return;
    field.files = event.dataTransfer.files;
    if (fits()) form.requestSubmit();
  });
}
