// The inspector's page. It polls the server for news, then fetches the parts that it shows. Received text never becomes
// markup.
"use strict";

const $ = (id) => document.getElementById(id);

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const number = (value) => Number(value).toLocaleString("en");
const clock = (time) => {
  const date = new Date(time);
  return date.toLocaleTimeString("en-GB") + "." + String(date.getMilliseconds()).padStart(3, "0");
};
const day = (time) => new Date(time).toLocaleDateString("sv") + " " + clock(time);
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// MARK: The server

class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

let session = null;
try { session = sessionStorage.getItem("session"); } catch { /* Storage is switched off: a reload needs a new link. */ }

async function fetchJSON(path, key) {
  let response, body;
  try {
    response = await fetch(path, { headers: { Authorization: "Bearer " + key }, cache: "no-store" });
    body = await response.json();
  } catch {
    throw new Refused("storectl inspect has ended, or cannot be reached", 0);
  }
  if (!response.ok) throw new Refused(body.error || response.statusText, response.status);
  return body;
}

function api(path, parameters) {
  const query = new URLSearchParams(parameters || {}).toString();
  return fetchJSON("/api/" + path + (query ? "?" + query : ""), session);
}

// The link's token works once and is removed from the address, so that neither the history nor a screenshot contains
// it.
async function open() {
  const token = location.hash.slice(1);
  if (token) {
    history.replaceState(null, "", location.pathname);
    try {
      session = (await fetchJSON("/api/open", token)).session;
      try { sessionStorage.setItem("session", session); } catch { /* As above. */ }
    } catch (error) {
      if (!session) throw error;
    }
  }
  if (!session) throw new Refused("open the link that storectl inspect has printed", 401);
}

// MARK: The view

let news = null;
let version = 0;
let sampleCount = 0;
let samples = [];
let tab = "state";
// The selected turn of the journal; null for the present.
let past = null;
let mark = null;
let changedPaths = new Set();

function say(text) {
  $("banner").hidden = !text;
  $("banner").textContent = text || "";
}

function showHead() {
  const hub = news.hub;
  $("status").className = "status " + hub.status;
  $("status").textContent = hub.status;
  $("hub").textContent = [hub.name, hub.socket].filter(Boolean).join("  ");
  $("hub").title = hub.socket;
  const revision = news.state ?? hub.revision;
  $("revision").textContent = "revision " + number(revision);
  if (hub.status === "away") {
    say("The hub is away since " + clock(hub.since) + ": " + hub.reason + ". This is the last known state.");
  } else if (news.journal && news.journal.problem) {
    say("The journal cannot be read: " + news.journal.problem);
  } else {
    say("");
  }
  document.title = (hub.status === "live" ? "" : hub.status + ": ") + "StoreHub inspector";
  // While the page travels, it still shows the state from before.
  if (!travelling) $("when").textContent = past ? "revision " + number(past.revision) + ", " + day(past.time) : "now";
}

// MARK: The tree

// The open nodes: the first element of the window, by place as JSON.
const opened = new Map([["[]", 0]]);
let nodes = new Map();
let rows = [];
let current = null;
let lastTexts = new Map();
let treeKey = "";

const keyOf = (place) => JSON.stringify(place);
const pathOf = (place) =>
  place.reduce((path, name) => path + (name.startsWith("[") || !path ? name : "." + name), "");

async function loadTree() {
  if (!past && news.loading) {
    $("tree").replaceChildren(element("p", "note", "The state is loading …"));
    return;
  }
  const windows = [...opened].map(([key, first]) => [JSON.parse(key), first]);
  const parameters = { open: JSON.stringify(windows) };
  if (past) parameters.at = past.revision;
  const tree = await api("tree", parameters);
  nodes = new Map();
  windows.forEach(([place], index) => {
    const node = tree.nodes[index];
    if (node) {
      nodes.set(keyOf(place), node);
      if (node.isList) opened.set(keyOf(place), node.first);
    }
  });
  showTree(past ? "past" : "live");
}

function flatten(place, depth, list) {
  const node = nodes.get(keyOf(place));
  if (!node) return;
  for (const row of node.rows) {
    const own = [...place, row.name];
    const key = keyOf(own);
    const isOpen = opened.has(key) && nodes.has(key);
    list.push({ key, place: own, depth, row, isOpen, parent: keyOf(place) });
    if (isOpen) flatten(own, depth + 1, list);
  }
  if (node.isList && node.count > node.rows.length) {
    list.push({ key: keyOf(place) + "#", pager: node, place, depth, parent: keyOf(place) });
  }
}

function showTree(key) {
  const list = [];
  flatten([], 0, list);
  const tree = $("tree");
  const isSame = treeKey === key && key === "live";
  treeKey = key;
  const texts = new Map();
  list.forEach((item, index) => {
    let line = tree.children[index];
    if (!line || line.dataset.kind !== (item.pager ? "pager" : "row")) {
      const made = item.pager ? makePager() : makeRow();
      if (line) tree.replaceChild(made, line); else tree.append(made);
      line = made;
    }
    line.style.setProperty("--depth", item.depth);
    line.dataset.index = index;
    if (item.pager) fillPager(line, item); else fillRow(line, item, isSame, texts);
  });
  while (tree.children.length > list.length) tree.lastChild.remove();
  rows = list;
  lastTexts = texts;
  if (!list.length && !tree.children.length) current = null;
  markCurrent(false);
}

function makeRow() {
  const line = element("div", "row");
  line.dataset.kind = "row";
  line.setAttribute("role", "treeitem");
  line.append(element("span", "sign"), element("span", "name"), element("span", "value"), element("span", "type"));
  return line;
}

function fillRow(line, item, isSame, texts) {
  const { row } = item;
  const [sign, name, value, type] = line.children;
  const set = (node, text) => { if (node.textContent !== text) node.textContent = text; };
  set(sign, row.opens ? (item.isOpen ? "▾" : "▸") : " ");
  set(name, row.name + (row.name.startsWith("[") ? "" : ":"));
  set(value, row.text);
  set(type, row.type);
  line.setAttribute("aria-level", item.depth + 1);
  if (row.opens) line.setAttribute("aria-expanded", item.isOpen); else line.removeAttribute("aria-expanded");
  texts.set(item.key, row.text);
  line.classList.toggle("was-changed", past !== null && changedPaths.has(pathOf(item.place)));
  const before = lastTexts.get(item.key);
  if (isSame && before !== undefined && before !== row.text) {
    line.classList.remove("flash");
    void line.offsetWidth;
    line.classList.add("flash");
  } else if (line.dataset.key !== item.key) {
    line.classList.remove("flash");
  }
  line.dataset.key = item.key;
}

function makePager() {
  const line = element("div", "pager");
  line.dataset.kind = "pager";
  line.append(element("span", "range"));
  for (const [name, text] of [["first", "⏮"], ["previous", "previous"], ["next", "next"], ["last", "⏭"]]) {
    const button = element("button", "", text);
    button.dataset.turn = name;
    button.title = name + " page";
    line.append(button);
  }
  const field = element("input");
  field.placeholder = "go to number";
  field.setAttribute("aria-label", "Go to the element with this number");
  field.inputMode = "numeric";
  line.append(field);
  return line;
}

function fillPager(line, item) {
  const node = item.pager;
  line.children[0].textContent =
    number(node.first) + " – " + number(node.first + node.rows.length - 1) + " of " + number(node.count);
  const isFirst = node.first === 0;
  const isLast = node.first + node.rows.length >= node.count;
  line.querySelectorAll("button").forEach((button) => {
    button.disabled = ["first", "previous"].includes(button.dataset.turn) ? isFirst : isLast;
  });
  line.dataset.key = item.key;
}

function turnPage(place, direction) {
  const node = nodes.get(keyOf(place));
  if (!node || !node.isList) return;
  const size = 100;
  const last = Math.floor(Math.max(node.count - 1, 0) / size) * size;
  const first = {
    first: 0, previous: node.first - size, next: node.first + size, last,
  }[direction] ?? Math.floor(Number(direction) / size) * size;
  if (!Number.isFinite(first)) return;
  opened.set(keyOf(place), Math.min(Math.max(first, 0), last));
  update();
}

function markCurrent(focuses) {
  const index = rows.findIndex((item) => item.key === current && !item.pager);
  [...$("tree").children].forEach((line, at) => {
    if (line.dataset.kind !== "row") return;
    line.tabIndex = at === (index < 0 ? 0 : index) ? 0 : -1;
    line.setAttribute("aria-selected", at === index);
  });
  const line = $("tree").children[index];
  if (!line) return;
  if (focuses) {
    line.focus();
    line.scrollIntoView({ block: "nearest" });
  } else if (document.activeElement.dataset.kind === "row" && document.activeElement !== line) {
    // Lines are used again: the focus goes where its row has gone.
    line.focus({ preventScroll: true });
  }
}

function choose(item) {
  current = item.key;
  markCurrent(true);
}

function setOpen(item, isOpen) {
  if (!item.row.opens) return;
  if (isOpen) {
    if (opened.size >= 250) return say("Too many nodes are open; press c to close them.");
    opened.set(item.key, opened.get(item.key) ?? 0);
  } else {
    const beginning = item.key.slice(0, -1) + ",";
    for (const key of [...opened.keys()]) {
      if (key === item.key || key.startsWith(beginning)) opened.delete(key);
    }
  }
  current = item.key;
  update().then(() => markCurrent(true));
}

async function showWhole(item) {
  const parameters = { place: item.key };
  if (past) parameters.at = past.revision;
  try {
    const whole = await api("value", parameters);
    let text = whole.text;
    if (whole.isWhole) {
      // Numbers keep their digits; JSON.parse would round them.
      text = pretty(text);
    } else {
      text += "\n… this is only its beginning";
    }
    $("whole-title").textContent = pathOf(item.place) + ": " + whole.type;
    $("whole-text").textContent = text;
    $("whole").showModal();
  } catch (error) {
    report(error);
  }
}

// Formats JSON with one member per line, without parsing numbers.
function pretty(text) {
  let result = "";
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inText) {
      result += character;
      if (character === "\\") result += text[(at += 1)];
      else if (character === "\"") inText = false;
    } else if (character === "\"") {
      inText = true;
      result += character;
    } else if ("[{".includes(character)) {
      const isEmpty = "]}".includes(text[at + 1]);
      result += character;
      if (!isEmpty) result += "\n" + "  ".repeat(depth += 1);
      else result += text[(at += 1)];
    } else if ("]}".includes(character)) {
      result += "\n" + "  ".repeat(depth -= 1) + character;
    } else if (character === ",") {
      result += ",\n" + "  ".repeat(depth);
    } else {
      result += character === ":" ? ": " : character;
    }
  }
  return result;
}

async function goTo(path) {
  const parameters = { path };
  if (past) parameters.at = past.revision;
  try {
    const found = await api("locate", parameters);
    for (const [place, first] of found.open.slice(0, -1)) opened.set(keyOf(place), first);
    const [place] = found.open[found.open.length - 1];
    if (place.length) {
      opened.set(keyOf(place), 0);
      current = keyOf(place);
    }
    showTab("state");
    await update();
    markCurrent(true);
  } catch (error) {
    report(error);
  }
}

$("tree").addEventListener("click", (event) => {
  const line = event.target.closest("[data-kind]");
  if (!line) return;
  const item = rows[line.dataset.index];
  if (!item) return;
  if (item.pager) {
    if (event.target.dataset.turn) turnPage(item.place, event.target.dataset.turn);
    return;
  }
  choose(item);
  if (event.target.className === "sign") setOpen(item, !item.isOpen);
});

$("tree").addEventListener("dblclick", (event) => {
  const line = event.target.closest("[data-kind=row]");
  const item = line && rows[line.dataset.index];
  if (!item || event.target.className === "sign") return;
  if (item.row.opens) setOpen(item, !item.isOpen); else showWhole(item);
});

$("tree").addEventListener("keydown", (event) => {
  if (event.target.tagName === "INPUT") {
    if (event.key === "Enter") {
      const item = rows[event.target.closest("[data-kind]").dataset.index];
      turnPage(item.place, event.target.value.replace(/[^0-9]/g, "") || "0");
      event.target.value = "";
    }
    return;
  }
  const shown = rows.filter((item) => !item.pager);
  const index = shown.findIndex((item) => item.key === current);
  const item = shown[index];
  const move = (to) => shown.length && choose(shown[Math.min(Math.max(to, 0), shown.length - 1)]);
  const page = Math.max(Math.floor($("tree").clientHeight / 20) - 1, 1);
  const parentOf = (one) => shown.find((other) => other.key === one.parent);
  switch (event.key) {
    case "ArrowDown": move(index + 1); break;
    case "ArrowUp": move(index - 1); break;
    case "PageDown": move(index + page); break;
    case "PageUp": move(index - page); break;
    case "Home": move(0); break;
    case "End": move(shown.length - 1); break;
    case "ArrowRight":
    case "ArrowLeft": {
      if (!item) return;
      const isRight = event.key === "ArrowRight";
      if (event.shiftKey) {
        turnPage(item.isOpen ? item.place : item.place.slice(0, -1), isRight ? "next" : "previous");
      } else if (isRight) {
        if (item.isOpen) move(index + 1); else setOpen(item, true);
      } else if (item.isOpen) {
        setOpen(item, false);
      } else if (parentOf(item)) {
        choose(parentOf(item));
      }
      break;
    }
    case "Enter":
    case " ":
      if (!item) return;
      if (item.row.opens) setOpen(item, !item.isOpen); else showWhole(item);
      break;
    default: return;
  }
  event.preventDefault();
});

$("go").addEventListener("submit", (event) => {
  event.preventDefault();
  goTo($("path").value.trim());
});

$("path").addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown") return;
  event.preventDefault();
  const shown = rows.filter((item) => !item.pager);
  if (shown.length) choose(shown.find((item) => item.key === current) ?? shown[0]);
});

// MARK: Actions

let turns = [];
let nextTurn = null;
let turnsEnd = false;
let chosenTurn = null;
let seenTail = -1;
let seenChanges = -1;
let isLoadingOlder = false;
let filter = "";

async function loadTurns() {
  if (!news.journal) return loadChanges();
  if (news.journal.tail === seenTail) return;
  const [tail, wanted] = [news.journal.tail, filter];
  const page = await api("turns", { count: 60, filter });
  // Otherwise the list has begun anew.
  if (wanted !== filter) return;
  // The turns up to `seenTail` were searched before, also if none of them matched.
  if (seenTail >= 0 && tail >= seenTail && page.next <= seenTail + 1) {
    const top = Math.max(seenTail, turns.length ? turns[0].position : -1);
    turns = [...page.turns.filter((turn) => turn.position > top), ...turns].slice(0, 3000);
  } else {
    turns = page.turns;
    [nextTurn, turnsEnd] = [page.next, page.isEnd];
  }
  seenTail = tail;
  showTurns();
}

const hasOlder = () => news.journal && !turnsEnd && nextTurn !== null && turns.length < 3000;
const isListFull = () => $("turns").scrollHeight > $("turns").clientHeight;

// Loads older actions, and searches on until the list is full.
async function loadOlder() {
  if (!hasOlder() || isLoadingOlder) return;
  isLoadingOlder = true;
  try {
    do {
      const [wanted, before] = [filter, nextTurn];
      const page = await api("turns", { count: 100, before, filter });
      // Otherwise the list has begun anew.
      if (wanted === filter && before === nextTurn) {
        turns = [...turns, ...page.turns];
        [nextTurn, turnsEnd] = [page.next, page.isEnd];
        showTurns();
      }
    } while (hasOlder() && !isListFull());
  } catch (error) {
    report(error);
  } finally {
    isLoadingOlder = false;
  }
}

async function loadChanges() {
  if (news.changes === seenChanges) return;
  const found = await api("changes", { after: Math.max(seenChanges, 0) });
  seenChanges = found.last;
  turns = [...found.changes.reverse().map((change) => ({ ...change, position: change.number })), ...turns].slice(0, 300);
  showTurns();
}

function turnText(turn) {
  if (!turn.actions) {
    const paths = turn.changes.shown.map((change) => change.path || "everything");
    return [["b", paths.slice(0, 3).join(", ")], ["", paths.length > 3 ? " and " + (turn.changes.count - 3) + " more" : ""]];
  }
  if (!turn.actions.length) return [["", "the state was changed without an action"]];
  const texts = [];
  turn.actions.slice(0, 3).forEach((action, index) => {
    if (index) texts.push(["", "\n"]);
    texts.push(["b", action.name], ["", action.values ? " " + action.values : ""]);
  });
  const count = turn.revision - turn.from;
  if (count > 3) texts.push(["", "\nand " + number(count - 3) + " more"]);
  return texts;
}

function showTurns() {
  const list = $("turns");
  const wasAtTop = list.scrollTop < 4;
  const anchor = wasAtTop ? null : [...list.children].find((line) => line.offsetTop >= list.scrollTop);
  const anchorKey = anchor && anchor.dataset.position;
  const offset = anchor ? anchor.offsetTop - list.scrollTop : 0;
  const old = new Map([...list.children].map((line) => [line.dataset.position, line]));
  list.replaceChildren(...turns.map((turn) => old.get(String(turn.position)) || makeTurn(turn)));
  if (anchorKey) {
    const line = [...list.children].find((one) => one.dataset.position === anchorKey);
    if (line) list.scrollTop = line.offsetTop - offset;
  }
  markTurn();
  $("log-title").textContent = news.journal ? "Actions" : "Changes";
  $("filter").hidden = !news.journal;
  const note = $("log-note");
  note.hidden = news.journal !== null && turns.length > 0;
  note.textContent = news.journal
    ? (filter ? (turnsEnd ? "No action matches." : "No action matches so far; searching …") : "No actions yet.")
    : "These are the changes since the page was opened. With --state-dir, storectl inspect shows the actions of the journal.";
  if (!isListFull()) loadOlder();
}

function makeTurn(turn) {
  const line = element("li", "turn");
  line.dataset.position = turn.position;
  line.setAttribute("role", "option");
  const head = element("div", "head");
  head.append(element("span", "", number(turn.revision)), element("span", "", clock(turn.time)));
  const action = turn.actions && turn.actions[0];
  if (action) head.append(element("span", "", [action.user, action.client].filter(Boolean).join(" ")));
  const what = element("div", "what");
  for (const [tag, text] of turnText(turn)) {
    if (text === "\n") what.append(element("br")); else if (text) what.append(element(tag || "span", "", text));
  }
  line.append(head, what);
  return line;
}

function markTurn() {
  for (const line of $("turns").children) {
    line.setAttribute("aria-selected", String(chosenTurn) === line.dataset.position);
  }
}

function revealTurn() {
  const line = [...$("turns").children].find((one) => one.dataset.position === String(chosenTurn));
  if (line) line.scrollIntoView({ block: "nearest" });
}

let travelling = null;
// Only the latest request is carried out: a slider sends more of them than a large state can follow.
function travel(wish) {
  const isBusy = travelling !== null;
  travelling = wish;
  if (!isBusy) travelOn();
}

async function travelOn() {
  // A large state may take long. The page does not change until it has arrived.
  const slow = setTimeout(() => { $("when").textContent = "reading the journal…"; }, 400);
  let failure = null;
  try {
    while (travelling) {
      const wish = travelling;
      failure = null;
      try {
        await arrive(wish);
      } catch (error) {
        // The present comes after the last turn.
        if (error.status === 404 && wish.step > 0 && travelling === wish) {
          travelling = { live: true };
          continue;
        }
        if (!(error instanceof Refused)) throw error;
        failure = error;
      }
      if (travelling === wish) travelling = null;
    }
  } finally {
    // Also after an unexpected error. Otherwise no later wish would be carried out.
    travelling = null;
    clearTimeout(slow);
    showHead();
  }
  if (failure) report(failure);
}

async function arrive(wish) {
  if (wish.live) {
    [past, chosenTurn] = [null, null];
    changedPaths = new Set();
  } else {
    const position = wish.position ?? (await api("at", { revision: wish.revision })).position;
    const turn = await api("turn", { position, step: wish.step ?? 0 });
    past = turn;
    chosenTurn = turn.position;
    changedPaths = new Set();
    for (const change of turn.changes.shown) {
      // The nodes around a change are marked too, so that a closed one can be found.
      for (let path = change.path; path && !changedPaths.has(path);) {
        changedPaths.add(path);
        path = path.replace(/(\.[^.[\]]*|\[[^\]]*\]|^[^.[]*)$/, "");
      }
    }
  }
  if (travelling === wish) {
    if (!past || tab === "state" || tab === "change") { /* Stays. */ } else showTab("change");
    markTurn();
    revealTurn();
    await update();
  }
}

function chooseTurn(turn) {
  if (turn.actions) return travel({ position: turn.position });
  chosenTurn = turn.position;
  markTurn();
  showTab("change");
}

function step(direction) {
  if (!news || !news.journal) {
    const index = turns.findIndex((turn) => turn.position === chosenTurn);
    const next = turns[index < 0 ? 0 : index - direction];
    if (next) chooseTurn(next);
    return revealTurn();
  }
  if (!past && direction > 0) return;
  travel({ position: past ? past.position : news.journal.tail + 1, step: direction });
}

$("turns").addEventListener("click", (event) => {
  const line = event.target.closest(".turn");
  const turn = line && turns.find((one) => String(one.position) === line.dataset.position);
  if (turn) chooseTurn(turn);
});

$("turns").addEventListener("keydown", (event) => {
  const index = turns.findIndex((turn) => turn.position === chosenTurn);
  if (event.key === "Escape" && filter) {
    event.preventDefault();
    return setFilter("");
  }
  // Above the first action is the filter.
  if (event.key === "ArrowUp" && index <= 0 && news && news.journal) {
    event.preventDefault();
    return $("filter").focus();
  }
  const to = { ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + 10, PageUp: index - 10, Home: 0, End: turns.length }[
    event.key];
  if (to === undefined || !turns.length) return;
  event.preventDefault();
  chooseTurn(turns[Math.min(Math.max(to, 0), turns.length - 1)]);
  revealTurn();
});

$("turns").addEventListener("scroll", () => {
  const list = $("turns");
  if (list.scrollTop + list.clientHeight > list.scrollHeight - 200) loadOlder();
});

let filterTimer = null;

// Shows the actions that match what the field contains; returns when the first of them are there.
function applyFilter() {
  clearTimeout(filterTimer);
  const wanted = $("filter").value.trim();
  if (wanted === filter) return updating ?? Promise.resolve();
  filter = wanted;
  [turns, seenTail, nextTurn, turnsEnd] = [[], -1, null, false];
  return update();
}

function setFilter(text) {
  $("filter").value = text;
  return applyFilter();
}

// Goes from the filter to the list below it.
async function enterList(choosesFirst) {
  $("turns").focus();
  await applyFilter();
  // Not if the user has gone elsewhere meanwhile.
  if (document.activeElement !== $("turns") || !turns.length) return;
  const isShown = turns.some((turn) => turn.position === chosenTurn);
  if (choosesFirst || !isShown) chooseTurn(turns[0]);
  revealTurn();
}

$("filter").addEventListener("input", () => {
  clearTimeout(filterTimer);
  filterTimer = setTimeout(applyFilter, 200);
});

$("filter").addEventListener("keydown", (event) => {
  switch (event.key) {
    case "ArrowDown": enterList(false); break;
    case "Enter": enterList(true); break;
    case "Escape":
      setFilter("");
      $("turns").focus();
      break;
    default: return;
  }
  // Browsers would clear the field once more, or move the focus.
  event.preventDefault();
  event.stopPropagation();
});

// MARK: Change

function changeLine(change) {
  const line = element("p", "change");
  const path = element("span", "path", change.path || "the state");
  path.dataset.path = change.path;
  path.title = "show it in the state";
  if (change.old === undefined && change.new === undefined) {
    line.append("  ", path, ": moved " + change.place);
  } else if (change.old === undefined) {
    line.classList.add("added");
    line.append("+ ", path, change.place ? " " + change.place + ": " : ": ", element("span", "new", change.new));
  } else if (change.new === undefined) {
    line.classList.add("removed");
    line.append("- ", path, ": ", element("span", "old", change.old));
  } else {
    line.append("  ", path, ": ", element("span", "old", change.old), " → ", element("span", "new", change.new));
  }
  return line;
}

function changeLines(changes) {
  const lines = changes.shown.map(changeLine);
  if (!changes.count) lines.push(element("p", "faint", "Nothing changed."));
  const rest = changes.count - changes.shown.length;
  if (rest > 0) lines.push(element("p", "faint", "and " + number(rest) + " more"));
  return lines;
}

let changeKey = "";

async function showChange() {
  const panel = $("panel-change");
  const key = [chosenTurn, mark, past && past.revision].join();
  if (key === changeKey) return;
  if (news.journal && mark !== null && past) {
    const found = await api("diff", { from: mark, to: past.revision });
    panel.replaceChildren(
      element("h3", "", "From revision " + number(found.from) + " to " + number(found.to)), ...changeLines(found.changes));
  } else {
    const turn = news.journal ? past : turns.find((one) => one.position === chosenTurn);
    if (!turn) {
      panel.replaceChildren(element("p", "note", "Choose an action to see what it changed."));
    } else {
      const parts = [];
      if (turn.actions) {
        parts.push(element("h3", "", turn.actions.length === 1 ? "Action" : "Actions of one turn, which took effect together"));
        for (const action of turn.actions) {
          const line = element("p", "action");
          line.append(element("b", "", action.name), " " + action.values, element("br"));
          line.append(element("span", "faint", [action.user, action.client].filter(Boolean).join(" ") + "\n" + action.whole));
          parts.push(line);
        }
        const rest = turn.revision - turn.from - turn.actions.length;
        if (rest > 0) parts.push(element("p", "faint", "and " + number(rest) + " more"));
      }
      parts.push(element("h3", "", "Changes from revision " + number(turn.from) + " to " + number(turn.revision)));
      panel.replaceChildren(...parts, ...changeLines(turn.changes));
    }
  }
  changeKey = key;
}

$("panel-change").addEventListener("click", (event) => {
  if (event.target.dataset.path !== undefined) goTo(event.target.dataset.path);
});

// MARK: Clients and schema

function table(heads, lines) {
  const made = element("table");
  const head = element("tr");
  heads.forEach(([text, className]) => head.append(element("th", className, text)));
  made.append(head);
  for (const cells of lines) {
    const line = element("tr");
    cells.forEach((cell, index) => line.append(element("td", heads[index][1], cell)));
    made.append(line);
  }
  // A narrow window scrolls it.
  const frame = element("div", heads.length > 2 ? "wide" : "");
  frame.append(made);
  return frame;
}

// The time alone for today.
function since(time) {
  if (!time) return "–";
  const [date, then] = [new Date(time).toLocaleDateString("sv"), new Date(time).toLocaleTimeString("en-GB")];
  return date === new Date().toLocaleDateString("sv") ? then : date + " " + then;
}

let clientsKey = "";

function showClients() {
  // Unchanged lines stay, so that their text can be selected.
  const key = JSON.stringify([news.hub.status, news.clients, news.scopes]);
  if (key === clientsKey) return;
  clientsKey = key;
  const { count, shown } = news.clients;
  const hasNodes = shown.some((client) => client.node);
  const parts = [
    element("h3", "", news.hub.status === "live" ? number(count) + (count === 1 ? " client" : " clients") : "the hub is away"),
    table(
      [["id", "number"], ...(hasNodes ? [["node", "short"]] : []), ["process", "number extra"], ["user", "short"], ["since", "short"], ["held", "number extra"], ["name", ""], ["parts", ""]],
      shown.map((client) => [
        number(client.id), ...(hasNodes ? [client.node] : []), client.process, client.userName ?? String(client.user), since(client.since),
        number(client.heldBytes), client.name, client.shownParts])),
  ];
  if (count > shown.length) parts.push(element("p", "faint", "and " + number(count - shown.length) + " more"));
  if (news.scopes) {
    const { count: scopes, places } = news.scopes;
    parts.push(
      element("h3", "", number(scopes) + (scopes === 1 ? " scope" : " scopes")),
      table([["scopes", "number"], ["part", ""]], places.map((place) => [number(place.subscribers), place.name])));
    const rest = scopes - places.reduce((sum, place) => sum + place.subscribers, 0);
    if (rest > 0) parts.push(element("p", "faint", "and " + number(rest) + " of other parts"));
  }
  $("panel-clients").replaceChildren(...parts);
}

let schemaShown = null;

async function showSchema() {
  const key = news.hub.schema ?? news.hub.status;
  if (schemaShown === key) return;
  const schema = await api("schema");
  const text = element("pre", "", "state:  " + schema.state + "\naction: " + schema.action + "\n\n" + schema.lines.join("\n"));
  $("panel-schema").replaceChildren(text);
  schemaShown = key;
}

// MARK: Time

function showTimeline() {
  const journal = news.journal;
  $("timeline").hidden = !journal;
  if (!journal) return;
  const slider = $("slider");
  slider.min = journal.first;
  slider.max = journal.revision;
  if (document.activeElement !== slider || !travelling) slider.value = past ? past.revision : journal.revision;
  $("at").textContent = (past ? number(past.revision) : "now") + " / " + number(journal.revision)
    + (mark !== null ? "  marked " + number(mark) : "");
  $("live").classList.toggle("on", !past);
  $("mark").classList.toggle("on", mark !== null);
  $("older").disabled = (past ? past.position : journal.tail + 1) <= journal.base + 1;
  $("newer").disabled = !past;
}

$("slider").addEventListener("input", () => {
  const revision = Number($("slider").value);
  travel(revision >= news.journal.revision ? { live: true } : { revision });
});
$("older").addEventListener("click", () => step(-1));
$("newer").addEventListener("click", () => step(1));
$("live").addEventListener("click", () => travel({ live: true }));
$("mark").addEventListener("click", toggleMark);

function toggleMark() {
  if (!news || !news.journal) return;
  mark = mark === null ? (past ? past.revision : news.journal.revision) : null;
  update();
}

// MARK: The whole value

const tabs = ["state", "change", "clients", "metrics", "schema"];

function showTab(name) {
  tab = name;
  for (const one of tabs) {
    $("tab-" + one).setAttribute("aria-selected", one === name);
    $("panel-" + one).classList.toggle("shown", one === name);
  }
  if (news) update();
}

for (const name of tabs) $("tab-" + name).addEventListener("click", () => showTab(name));

function report(error) {
  if (error instanceof Refused && error.status !== 401) return say(error.message);
  throw error;
}

let updating = null;
let isStale = false;
// Fetches the view, one fetch at a time, and again if it changed meanwhile.
function update() {
  if (updating) {
    isStale = true;
    return updating;
  }
  updating = (async () => {
    do {
      isStale = false;
      try {
        showHead();
        showTimeline();
        await loadTurns();
        if (tab === "state") await loadTree();
        else if (tab === "change") await showChange();
        else if (tab === "clients") showClients();
        else if (tab === "metrics") showMetrics();
        else await showSchema();
      } catch (error) {
        if (!(error instanceof Refused) || error.status === 401) throw error;
        if (tab === "state" && error.status === 404) $("tree").replaceChildren(element("p", "note", error.message));
        else say(error.message);
      }
    } while (isStale);
  })().finally(() => { updating = null; });
  return updating;
}

async function follow() {
  for (;;) {
    if (document.hidden) {
      await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
    }
    let took = 0;
    try {
      news = await api("poll", { after: version, sample: sampleCount });
      version = news.version;
      samples = [...samples, ...news.samples].slice(-300);
      sampleCount = news.sample;
      const start = performance.now();
      await update();
      took = performance.now() - start;
    } catch (error) {
      if (error instanceof Refused && error.status === 401) return ended(error);
      $("status").className = "status away";
      $("status").textContent = "ended";
      say("storectl inspect has ended, or cannot be reached.");
      await sleep(1000);
    }
    // A large state is fetched less often.
    await sleep(Math.min(Math.max(60, took * 2), 3000));
  }
}

function ended(error) {
  $("status").className = "status away";
  $("status").textContent = "closed";
  say("This page cannot read the state: " + error.message + ".");
}

// MARK: Keys

const themes = ["", "light", "dark"];
function setTheme(name) {
  if (name) document.documentElement.dataset.theme = name; else delete document.documentElement.dataset.theme;
  $("theme").textContent = name || "system";
  try { localStorage.setItem("theme", name); } catch { /* It is forgotten. */ }
}
let theme = "";
try { theme = localStorage.getItem("theme") || ""; } catch { /* As the system. */ }
setTheme(themes.includes(theme) ? theme : "");
const nextTheme = () => setTheme(themes[(themes.indexOf(document.documentElement.dataset.theme || "") + 1) % 3]);
$("theme").addEventListener("click", nextTheme);
$("help-button").addEventListener("click", () => $("help").showModal());
$("close-all").addEventListener("click", closeAll);

function closeAll() {
  opened.clear();
  opened.set("[]", 0);
  update();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target.closest("input:not([type=range])");
  if (field) {
    if (event.key === "Escape") field.blur();
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  switch (event.key) {
    case "1": case "2": case "3": case "4": case "5": showTab(tabs[Number(event.key) - 1]); break;
    case "[": step(-1); break;
    case "]": step(1); break;
    case "l": travel({ live: true }); break;
    case "m": toggleMark(); break;
    case "/": showTab("state"); $("path").focus(); $("path").select(); break;
    case "f": $("filter").focus(); break;
    case "c": closeAll(); break;
    case "t": nextTheme(); break;
    case "y": {
      const item = rows.find((one) => one.key === current);
      if (item && navigator.clipboard) navigator.clipboard.writeText(pathOf(item.place)).catch(() => {});
      break;
    }
    case "?": $("help").showModal(); break;
    default: return;
  }
  event.preventDefault();
});

showTab("state");
open().then(follow, ended);
