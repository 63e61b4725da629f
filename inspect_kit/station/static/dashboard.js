// The maker's page: asks the service for trends every few seconds, and draws anew only what has changed.
"use strict";
const every = 10000;
const main = document.getElementById("main");
const form = document.getElementById("question");
const number = new Intl.NumberFormat(document.documentElement.lang, { maximumSignificantDigits: 6 });
const spread = new Intl.NumberFormat(document.documentElement.lang, { maximumSignificantDigits: 3 });
const index = new Intl.NumberFormat(document.documentElement.lang, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat(document.documentElement.lang);
const said = JSON.parse(document.getElementById("said").dataset.words);
let before = "";

function shown(value, format) { return value === null ? "—" : format.format(value); }

function fill(table, rows) {
  const body = table.querySelector("tbody");
  body.replaceChildren(...rows.map((cells) => {
    const row = document.createElement("tr");
    row.append(...cells.map((text) => {
      const cell = document.createElement("td");
      cell.textContent = text;
      return cell;
    }));
    return row;
  }));
}

function offer(names) {
  const select = form.elements.characteristic;
  const chosen = select.value;
  if ([...select.options].map((each) => each.value).join() === names.join()) return;
  select.replaceChildren(...names.map((name) => new Option(said[name] ?? name, name)));
  if (names.includes(chosen)) select.value = chosen;
}

async function asked(path) {
  const answer = await fetch(path, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

function points(trend) {
  fill(document.getElementById("points"), trend.points.map((point) => [
    point.period, point.stratum ?? "", whole.format(point.lots), whole.format(point.n), shown(point.mean, number),
    shown(point.s_overall, spread), shown(point.cpk, index),
    point.cpk_ci ? `${index.format(point.cpk_ci[0])} – ${index.format(point.cpk_ci[1])}` : "—",
    shown(point.ppk, index), `${whole.format(point.failed)} / ${whole.format(point.inspected)}`,
  ]));
}

function faults(pareto) {
  const box = document.getElementById("faults");
  box.hidden = pareto.length === 0;
  fill(box, pareto.map((fault) => [
    said[fault.characteristic] ?? fault.characteristic, said[`reason.${fault.reason}`] ?? fault.reason, whole.format(fault.count), `${Math.round(100 * fault.cumulative)} %`,
  ]));
}

function latest(rows) {
  const box = document.getElementById("latest");
  box.hidden = rows.length === 0;
  fill(box, rows.map((row) => [row.inspected_on, row.subject, said[`overall.${row.verdict}`] ?? row.verdict]));
}

function draw(data, rows) {
  const trend = data.characteristics.find((each) => each.characteristic === form.elements.characteristic.value)
    ?? data.characteristics[0];
  document.getElementById("nothing").hidden = Boolean(trend);
  document.getElementById("found").hidden = !trend;
  latest(rows);
  if (!trend) return;
  points(trend);
  faults(data.pareto);
  const chart = document.getElementById("chart");
  chart.hidden = !trend.points.some((point) => point.n);
  const query = new URLSearchParams({ characteristic: trend.characteristic, period: data.period, by: data.by ?? "", lang: document.documentElement.lang });
  const narrow = matchMedia("(max-width: 600px)").matches;
  if (narrow) query.set("narrow", "1");
  chart.classList.toggle("narrow", narrow);
  if (!chart.hidden) chart.src = `/chart.svg?${query}&at=${Date.now()}`;
}

async function look() {
  const state = document.getElementById("state");
  try {
    const query = new URLSearchParams({ period: form.elements.period.value, by: form.elements.by.value });
    const data = await asked(`/api/v1/trends?${query}`);
    const rows = await asked("/api/v1/verdicts?limit=10");
    offer(data.characteristics.map((each) => each.characteristic));
    const now = JSON.stringify([data, rows, form.elements.characteristic.value]);
    if (now !== before) draw(data, rows);
    before = now;
    state.textContent = main.dataset.updated.replace("{time}", new Date().toLocaleTimeString(document.documentElement.lang));
  } catch {
    state.textContent = main.dataset.lost;
  }
}

form.addEventListener("change", look);
look();
setInterval(look, every);
