// The shared todos. The hub has the list; the page shows it, and sends what the user does.

import { Hub, WebSocketTransport } from "./storehub/browser.js";

const [list, form, text, state, error] = ["todos", "new", "text", "state", "error"].map(id => document.getElementById(id));
const scheme = location.protocol === "https:" ? "wss" : "ws";
const transport = new WebSocketTransport(`${scheme}://${location.host}/`, { token: token() });
// A ping after 10 s of silence: a laptop that wakes up connects again soon.
const hub = new Hub(transport, { name: "board", keepAlive: 10_000 });
const todos = hub.part("todos.todos");

/** The token from the address of the page, where no server sees it; kept for this tab. */
function token() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) sessionStorage.setItem("token", given);
  // It should not stay in the history.
  if (given) history.replaceState(null, "", location.pathname);
  return sessionStorage.getItem("token") ?? "";
}

/** Sends an action. It takes effect once, also if the hub is away at the moment. */
async function send(action) {
  try {
    await hub.send({ case: "todos", value: action });
    error.hidden = true;
  } catch (failure) {
    // The hub refuses what this user may not do, and says why.
    error.textContent = failure.text ?? failure.message;
    error.hidden = false;
  }
}

form.addEventListener("submit", event => {
  event.preventDefault();
  send({ case: "addButtonTapped", text: text.value });
  text.value = "";
});

// Rows by the ids of their todos, so that one that is being used is not replaced.
const rows = new Map();

function row(id) {
  const item = document.createElement("li");
  const label = item.appendChild(document.createElement("label"));
  const box = label.appendChild(document.createElement("input"));
  const span = label.appendChild(document.createElement("span"));
  const button = item.appendChild(document.createElement("button"));
  box.type = "checkbox";
  button.textContent = "✕";
  button.ariaLabel = "Delete";
  box.addEventListener("change", () => {
    const action = { case: "completionChanged", value: box.checked };
    send({ case: "todos", value: { case: "element", id, action } });
  });
  button.addEventListener("click", () => send({ case: "deleteButtonTapped", id }));
  return { item, box, span };
}

todos.subscribe((value = []) => {
  const ids = new Set(value.map(todo => todo.id));
  for (const [id, { item }] of rows) {
    if (ids.has(id)) continue;
    item.remove();
    rows.delete(id);
  }
  value.forEach((todo, index) => {
    if (!rows.has(todo.id)) rows.set(todo.id, row(todo.id));
    const { item, box, span } = rows.get(todo.id);
    span.textContent = todo.text;
    box.checked = todo.isComplete;
    item.classList.toggle("done", todo.isComplete);
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
  });
});

hub.onState(show);
show();

function show() {
  const current = hub.state;
  document.body.classList.toggle("away", current.phase !== "live");
  state.textContent = current.error ? `${current.phase}: ${current.error.message}` : current.phase;
}
