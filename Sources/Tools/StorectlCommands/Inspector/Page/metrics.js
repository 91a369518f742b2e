// The view of the hub's metrics: charts of the last minutes, the metrics with their units and rates, and histograms.
// It uses the functions of inspector.js, which is loaded after it.
"use strict";

// MARK: Units

function decimals(value, unit) {
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }) + unit;
}

function bytes(value) {
  const units = [" B", " KiB", " MiB", " GiB", " TiB"];
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit += 1) value /= 1024;
  return decimals(value, units[unit]);
}

function duration(microseconds) {
  if (microseconds < 1000) return decimals(microseconds, " µs");
  return microseconds < 1e6 ? decimals(microseconds / 1000, " ms") : decimals(microseconds / 1e6, " s");
}

const count = (value) => decimals(value, "");
const perSecond = (value) => value.toLocaleString("en", { maximumFractionDigits: value >= 10 ? 0 : 1 }) + "/s";
const formats = { count, bytes, microseconds: duration };

// MARK: Series

// A sample is [time, actions per second, latency, clients, [metric, …]].
const valuesOf = (index) => samples.map((sample) => sample[4][index]);

// The growth of a counter per second around each sample. The hub publishes its metrics about once a second, so that a
// single second may contain none or two of them.
function ratesOf(index) {
  return samples.map((sample, at) => {
    const before = samples[Math.max(at - 3, 0)];
    const [from, to] = [before[4][index], sample[4][index]];
    // A hub that was restarted counts from 0 again.
    if (from === undefined || to === undefined || to < from || sample[0] <= before[0]) return 0;
    return (to - from) / ((sample[0] - before[0]) / 1000);
  });
}

const shownSeconds = () => (samples.length <= 60 ? 60 : 300);

function svg(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// Draws values from the right, the newest, to the left, the oldest; the lower edge is 0.
function line(values, className, width, height, label) {
  const drawing = svg("svg", {
    class: className, viewBox: "0 0 " + width + " " + height, preserveAspectRatio: "none", role: "img", "aria-label": label,
  });
  const top = Math.max(...values.filter(Number.isFinite), 0) || 1;
  const step = width / (shownSeconds() - 1);
  const points = values.map((value, at) => {
    if (!Number.isFinite(value)) return null;
    return [(width - (values.length - 1 - at) * step).toFixed(1), (height - 2 - (value / top) * (height - 6)).toFixed(1)];
  }).filter(Boolean);
  if (points.length > 1) {
    const text = points.map((point) => point.join()).join(" ");
    drawing.append(
      svg("polygon", { class: "area", points: points[0][0] + "," + height + " " + text + " " + width + "," + height }),
      svg("polyline", { class: "line", points: text }));
  }
  return drawing;
}

function chart(title, values, format) {
  const figure = element("figure");
  const caption = element("figcaption");
  caption.append(element("span", "", title), element("b", "", values.length ? format(values[values.length - 1]) : "–"));
  const scale = element("div", "scale");
  const time = shownSeconds() === 60 ? "1 minute" : "5 minutes";
  scale.append(element("span", "", time), element("span", "", "maximum " + format(Math.max(...values, 0))));
  figure.append(caption, line(values, "chart", 600, 110, title), scale);
  return figure;
}

// MARK: The tables

function seriesTable(group, series) {
  const made = element("table", "metrics");
  const head = element("tr");
  for (const [text, className] of [[group, ""], ["now", "number"], ["rate", "number"], ["the last minutes", "spark"]]) {
    head.append(element("th", className, text));
  }
  made.append(head);
  for (const { name, unit, isCounter, index } of series) {
    const values = isCounter ? ratesOf(index) : valuesOf(index);
    const now = valuesOf(index).pop();
    const row = element("tr");
    const cell = element("td", "spark");
    cell.append(line(values, "", 150, 24, name + " in the last minutes"));
    row.append(
      element("td", "", name), element("td", "number", now === undefined ? "–" : formats[unit](now)),
      element("td", "number", isCounter && values.length ? perSecond(values[values.length - 1]) : ""), cell);
    made.append(row);
  }
  return made;
}

// The limit below which a share of the measurements lies; undefined if it is in the last bucket, which has none.
function quantile(counts, first, share) {
  const wanted = counts.reduce((sum, value) => sum + value, 0) * share;
  let sum = 0;
  const bucket = counts.findIndex((value) => (sum += value) >= wanted);
  return bucket < counts.length - 1 ? first * 2 ** bucket : undefined;
}

function histogram({ name, first, counts }) {
  const figure = element("figure", "histogram");
  const caption = element("figcaption");
  caption.append(element("span", "", name));
  figure.append(caption);
  const sum = counts.reduce((total, value) => total + value, 0);
  if (!sum) {
    figure.append(element("p", "faint", "none yet"));
    return figure;
  }
  const shares = [[0.5, "half"], [0.99, "99 %"]].map(([share, text]) => {
    const limit = quantile(counts, first, share);
    return text + (limit ? " below " + duration(limit) : " above " + duration(first * 2 ** (counts.length - 2)));
  });
  caption.append(element("span", "faint", shares.join(", ")));
  const last = counts.findLastIndex((value) => value > 0);
  const top = Math.max(...counts);
  const made = element("table", "metrics");
  counts.slice(0, last + 1).forEach((value, at) => {
    const isLast = at === counts.length - 1;
    const label = isLast ? "from " + duration(first * 2 ** (at - 1)) : "below " + duration(first * 2 ** at);
    const cell = element("td", "spark");
    const bar = svg("svg", { viewBox: "0 0 150 12", preserveAspectRatio: "none", role: "img", "aria-label": label });
    if (value) bar.append(svg("rect", { class: "bar", x: 0, y: 1, height: 10, width: Math.max((value / top) * 150, 1) }));
    cell.append(bar);
    const row = element("tr");
    row.append(element("td", "number", label), element("td", "number", number(value)), cell);
    made.append(row);
  });
  figure.append(made);
  return figure;
}

function showMetrics() {
  const charts = element("div", "charts");
  const column = (index) => samples.map((sample) => sample[index]);
  charts.append(
    chart("actions per second", column(1), perSecond), chart("latency of the hub", column(2), duration),
    chart("clients", column(3), count));
  const parts = [element("h3", "", "Throughput and latency"), charts];
  const { metrics } = news;
  if (!metrics) {
    if (news.hub.status === "live") parts.push(element("p", "note", "The hub does not show its own metrics to this user."));
  } else {
    const series = metrics.series.map((one, index) => ({ ...one, index }));
    const tables = element("div", "charts wide-parts");
    for (const group of new Set(series.map((one) => one.group))) {
      tables.append(seriesTable(group, series.filter((one) => one.group === group)));
    }
    const figures = element("div", "charts wide-parts");
    const isStored = metrics.durability !== "memory";
    figures.append(...metrics.histograms.filter((_, index) => isStored || index === 0).map(histogram));
    const title = element("h3", "", "The hub's metrics");
    if (metrics.durability) title.append(element("span", "faint", "  durability: " + metrics.durability));
    parts.push(title, tables, figures);
  }
  $("panel-metrics").replaceChildren(...parts);
}
