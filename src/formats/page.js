"use strict";
// Turns table headings into buttons that sort, and shows a hint at tables that are too wide. The page works without it.

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

for (const table of document.querySelectorAll("table")) {
  Array.from(table.tHead.rows[0].cells, (heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, heading, column));
    heading.append(button);
    heading.setAttribute("aria-sort", "none");
  });
}

function markOverflow() {
  for (const box of document.querySelectorAll(".scroll")) {
    box.parentElement.classList.toggle("overflows", box.scrollWidth > box.clientWidth);
  }
}

markOverflow();
addEventListener("resize", markOverflow);

// Print all details.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
