"use strict";
// Appended to a copy of a page: uses it as a reader would, and writes a line for each finding.

const findings = [];
const note = (name, value) => findings.push(`${name}: ${value}`);

const table = document.querySelector("table");
const heading = (text) => [...table.tHead.rows[0].cells].find((cell) => cell.textContent.startsWith(text));
const names = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent).join(" ");
const sorted = (text) => {
  heading(text).querySelector("button").click();
  return `${heading(text).getAttribute("aria-sort")} ${names()}`;
};

function probeSorting() {
  note("before", names());
  note("by ratio", sorted("speed-up"));
  note("by ratio again", sorted("speed-up"));
  note("by batch", sorted("batch"));
  note("by name", sorted("model"));
  const tables = [...document.querySelectorAll("table")];
  note("tables with buttons", `${tables.filter((one) => one.querySelector("button")).length} of ${tables.length}`);
  note("sorted columns", table.querySelectorAll("th:not([aria-sort=none])[aria-sort]").length);
  heading("beta").querySelector("button").focus();
  note("focus", document.activeElement.textContent);
}

function channels(colour) {
  const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
  return { alpha, luminance: luminance([red, green, blue]) };
}

// Relative luminance of WCAG 2.
function luminance(rgb) {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function findBackground(element) {
  for (let at = element; at; at = at.parentElement) {
    const background = channels(getComputedStyle(at).backgroundColor);
    if (background.alpha === 1) return background.luminance;
  }
  return 1;
}

function computeContrast(element) {
  const pair = [channels(getComputedStyle(element).color).luminance, findBackground(element)];
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
}

function probeColours() {
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const texts = [...document.body.querySelectorAll("*:not(script)")].filter(hasText);
  note("background", getComputedStyle(document.body).backgroundColor);
  const weak = texts.filter((element) => computeContrast(element) < 4.5);
  note("weak texts", weak.map((element) => `${element.localName}.${element.getAttribute("class")}`).join(" ") || "none");
  const lines = [...document.querySelectorAll("figure g[class^=series]")];
  note("weak lines", lines.filter((element) => computeContrast(element) < 3).length);
}

function probeWidth() {
  const root = document.documentElement;
  note("width", root.clientWidth);
  note("scrolls sideways", root.scrollWidth > root.clientWidth);
  const tooWide = [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth);
  const hints = [...document.querySelectorAll(".hint")];
  note("hints", `${hints.length} at ${tooWide.indexOf(hints[0]?.nextElementSibling) + 1}`);
  const hidden = [...document.querySelectorAll(".detail")].filter((cell) => cell.offsetWidth === 0);
  note("hidden details", hidden.length);
  const charts = [...document.querySelectorAll("figure svg")].filter((svg) => svg.getBoundingClientRect().width > 0);
  note("charts", `${charts.length} of ${document.querySelectorAll("figure").length}`);
  const widths = charts.map((svg) => svg.getBoundingClientRect().width / svg.parentElement.clientWidth);
  note("charts too wide", widths.filter((width) => width > 1.01).length);
  note("narrowest chart", `${Math.round(100 * Math.min(...widths))} %`);
  note("chart text", Math.min(...charts.map((svg) => svg.getScreenCTM().a * 12)));
  const clipped = charts.flatMap((svg) => [...svg.querySelectorAll("text")].filter((text) => isOutside(text, svg)));
  note("clipped texts", clipped.map((text) => text.textContent).join("; ") || "none");
}

function isOutside(text, svg) {
  const inner = text.getBoundingClientRect();
  const outer = svg.getBoundingClientRect();
  return inner.left < outer.left - 2 || inner.right > outer.right + 2 || inner.bottom > outer.bottom + 2;
}

// Runs after the page is loaded, because failed requests are counted when they end.
function report() {
  note("scripts", document.scripts.length);
  note("handlers", document.querySelectorAll("[onmouseover], [onerror], [onload]").length);
  note("requests", performance.getEntriesByType("resource").length);
  probeColours();
  probeWidth();
  if (heading("speed-up")) probeSorting();

  const outcome = document.createElement("pre");
  outcome.textContent = findings.map((line) => `probe ${line}\n`).join("");
  document.body.append(outcome);
}

addEventListener("load", report);
