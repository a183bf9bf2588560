"use strict";
// Zooms the timeline, and says what is under the pointer. Without it the page shows the whole time and says the same in words.
(() => {
  const root = document.getElementById("timeline");
  const store = document.getElementById("bins");
  if (!root || !store) return;
  const data = JSON.parse(store.textContent);
  const HEIGHTS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const COLUMNS = 600, LEAST = 16;
  const heights = (text) => Uint8Array.from(text, (character) => HEIGHTS.indexOf(character));
  const strips = [...root.querySelectorAll(".strip")];
  const rows = data.rows.map((row, index) => ({
    ...row, svg: strips[index], amounts: heights(row.amounts), stalls: row.stalls, overflows: row.overflows,
  }));
  const axis = root.querySelector(".axis"), brush = root.querySelector(".brush"), cursor = root.querySelector(".cursor");
  const button = (name) => root.querySelector(`[data-do=${name}]`);
  const output = root.querySelector("output");
  let from = 0, to = data.bins;

  const join = (row, begin, end) => {
    let sum = 0, most = 0;
    for (let bin = begin; bin < end; bin++) { sum += row.amounts[bin]; most = Math.max(most, row.amounts[bin]); }
    return row.kind === "level" ? most : sum / (end - begin);
  };
  const ticks = (bins, columns, top) => {
    const taken = new Set(bins.filter((bin) => bin >= from && bin < to).map((bin) => Math.floor((bin - from) * columns / (to - from))));
    return [...taken].map((column) => `M${column}.5 ${top}V100`).join("");
  };
  const draw = (row) => {
    const columns = Math.min(COLUMNS, to - from), values = [];
    for (let column = 0; column < columns; column++) {
      const begin = from + Math.floor(column * (to - from) / columns);
      values.push(join(row, begin, Math.max(begin + 1, from + Math.floor((column + 1) * (to - from) / columns))));
    }
    const scale = row.kind === "share" ? 63 : Math.max(...values, 1e-9);
    let path = "M0 100";
    values.forEach((value, column) => {
      const height = value > 0 ? Math.max(2, Math.round(value / scale * 100)) : 0;
      path += `H${column}V${100 - Math.min(100, height)}`;
    });
    row.svg.setAttribute("viewBox", `0 0 ${columns} 100`);
    row.svg.querySelector(".amount").setAttribute("d", `${path}H${columns}V100Z`);
    for (const [name, top] of [["stalls", 0], ["overflows", 84]]) {
      const element = row.svg.querySelector(name === "stalls" ? ".stall" : ".overflow");
      if (element) element.setAttribute("d", ticks(row[name], columns, top));
    }
  };

  const unit = (time) => time >= 1e9 ? [1e9, "s"] : time >= 1e6 ? [1e6, "ms"] : time >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  const time = (value, digits) => {
    const [scale, name] = unit(Math.abs(value));
    return `${Number((value / scale).toPrecision(digits))}\u00a0${name}`;
  };
  const start = (bin) => bin * data.width - data.lead;
  const drawAxis = () => {
    const begin = Math.max(0, start(from)), span = (to - from) * data.width, rough = span / 8;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((part) => part * power).find((candidate) => candidate >= rough);
    const [scale, name] = unit(start(to));
    const digits = Math.max(0, Math.ceil(-Math.log10(step / scale) - 1e-9));
    axis.replaceChildren();
    let number = 0;
    for (let at = Math.ceil(begin / step) * step; at < start(to); at += step, number++) {
      const left = (at - start(from)) / span * 100, late = left > 88;
      const tick = document.createElement("span");
      if (late) tick.style.right = `${100 - left}%`; else tick.style.left = `${left}%`;
      tick.textContent = `${Number((at / scale).toFixed(digits))}\u00a0${name}`;
      tick.className = `${late ? "late" : ""}${number % 2 || (late && step / span < .3) ? " minor" : ""}`;
      axis.append(tick);
    }
  };
  const whole = () => from === 0 && to === data.bins;
  const show = (begin, end) => {
    const length = Math.min(data.bins, Math.max(Math.min(LEAST, data.bins), Math.round(end - begin)));
    from = Math.min(Math.max(0, Math.round(begin)), data.bins - length);
    to = from + length;
    rows.forEach(draw);
    drawAxis();
    button("in").disabled = length <= LEAST;
    button("out").disabled = button("whole").disabled = whole();
    button("left").disabled = from === 0;
    button("right").disabled = to === data.bins;
    const range = `${time(Math.max(0, start(from)), 4)} to ${time(Math.min(data.duration, start(to)), 4)}`;
    output.textContent = whole() ? "the whole trace" : range;
  };
  const actions = {
    in: () => show(from + (to - from) / 4, to - (to - from) / 4),
    out: () => show(from - (to - from) / 2, to + (to - from) / 2),
    left: () => show(from - (to - from) / 4, to - (to - from) / 4),
    right: () => show(from + (to - from) / 4, to + (to - from) / 4),
    whole: () => show(0, data.bins),
  };
  for (const name of Object.keys(actions)) button(name).addEventListener("click", actions[name]);
  const keys = { "+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", "0": "whole", Home: "whole" };
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });

  const box = () => strips[0].getBoundingClientRect();
  const place = (event) => Math.min(1, Math.max(0, (event.clientX - box().left) / box().width));
  const offset = (share) => box().left - brush.parentElement.getBoundingClientRect().left + share * box().width;
  const say = (event) => {
    const bin = Math.min(to - 1, from + Math.floor(place(event) * (to - from)));
    const row = rows.find((candidate) => candidate.svg === event.target.closest(".strip"));
    if (!row) return;
    const amount = row.amounts[bin];
    const what = row.kind === "share" ? `busy ${Math.round(amount / 63 * 100)}\u00a0%` : `${amount ? "about " : ""}${Math.round(amount / 63 * row.most)} ${row.what}`;
    output.textContent = `${row.name} at ${time(Math.max(0, start(bin)), 4)}: ${what}`;
  };
  let pressed = null;
  root.addEventListener("pointerdown", (event) => {
    if (event.button || !event.target.closest(".strip")) return;
    pressed = place(event);
    event.target.closest(".strip").setPointerCapture(event.pointerId);
  });
  root.addEventListener("pointermove", (event) => {
    if (!event.target.closest(".strip")) { cursor.style.display = "none"; return; }
    say(event);
    cursor.style.display = "block";
    cursor.style.left = `${offset(place(event))}px`;
    if (pressed === null) return;
    const [low, high] = [Math.min(pressed, place(event)), Math.max(pressed, place(event))];
    brush.style.display = "block";
    brush.style.left = `${offset(low)}px`;
    brush.style.width = `${(high - low) * box().width}px`;
  });
  const release = (event, keep) => {
    const [begin, end] = [pressed, place(event)].sort((one, other) => one - other);
    brush.style.display = "none";
    if (pressed !== null && keep && (end - begin) * box().width > 6) show(from + begin * (to - from), from + end * (to - from));
    pressed = null;
  };
  root.addEventListener("pointerup", (event) => release(event, true));
  root.addEventListener("pointercancel", (event) => release(event, false));
  root.addEventListener("pointerleave", () => { cursor.style.display = "none"; });
  root.addEventListener("dblclick", (event) => { if (event.target.closest(".strip")) actions.whole(); });
  root.classList.add("live");
  root.tabIndex = 0;
  show(0, data.bins);
})();
