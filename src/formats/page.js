"use strict";
// Turns headings of long tables into buttons that sort, and shows a hint at the first table that is too wide. The page
// works without it.

const texts = new Intl.Collator(undefined, { numeric: true });

function textOf(cell) {
  const parts = Array.from(cell.childNodes).filter((part) => part.localName !== "sup");
  return parts.map((part) => part.textContent).join("").trim();
}

// Returns null for missing values, which stay last in both directions.
function keyOf(row, column, isNumber) {
  const cell = row.cells[column];
  if (!isNumber) return textOf(cell) || null;
  return "value" in cell.dataset ? Number(cell.dataset.value) : null;
}

function inOrder(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  return sign * (typeof a === "number" ? a - b : texts.compare(a, b));
}

function sortBy(table, heading, column) {
  const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  const isNumber = heading.classList.contains("number");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row) => ({ row, key: keyOf(row, column, isNumber) }));
  rows.sort((a, b) => inOrder(a.key, b.key, sign));
  body.append(...rows.map((entry) => entry.row));
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
}

const leastSortedRows = 6;
for (const table of document.querySelectorAll("table")) {
  if (table.tBodies[0].rows.length < leastSortedRows) continue;
  Array.from(table.tHead.rows[0].cells, (heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, heading, column));
    heading.append(button);
    heading.setAttribute("aria-sort", "none");
  });
}

const hint = document.createElement("p");
hint.className = "hint";
hint.ariaHidden = "true";
hint.textContent = "Too wide for this page: scroll sideways \u2192";

function placeHint() {
  const boxes = Array.from(document.querySelectorAll(".scroll"));
  const tooWide = boxes.find((box) => box.scrollWidth > box.clientWidth);
  hint.remove();
  tooWide?.before(hint);
}

placeHint();
addEventListener("resize", placeHint);
document.addEventListener("toggle", placeHint, true);

// Print all details.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
