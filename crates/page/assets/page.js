// What moves on the page. Without it everything can still be searched and read.

const main = document.getElementById("main");
const box = document.getElementById("q");
const keys = document.getElementById("keys");
const said = document.getElementById("said");

function say(text) {
  said.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { said.textContent = ""; }, 2500);
}

// Results as one types. Of several answers on their way only that to the last question counts.

let asking;

async function ask(address, push) {
  asking?.abort();
  asking = new AbortController();
  const results = document.getElementById("results");
  const part = new URL(address, location.href);
  part.searchParams.set("part", "results");
  try {
    const answer = await fetch(part, { signal: asking.signal });
    const html = await answer.text();
    if (!answer.ok) { location.assign(address); return; }
    results.innerHTML = html;
    chosen = -1;
    if (push !== null) history[push ? "pushState" : "replaceState"](null, "", address);
  } catch (error) {
    if (error.name !== "AbortError") say("The server does not answer.");
  }
}

if (box?.hasAttribute("data-live")) {
  let waiting;
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const address = new URL(location.href);
      address.searchParams.delete("cursor");
      box.value ? address.searchParams.set("q", box.value) : address.searchParams.delete("q");
      ask(address, false);
    }, 130);
  });
  addEventListener("popstate", () => {
    box.value = new URL(location.href).searchParams.get("q") ?? "";
    ask(location.href, null);
  });
  main.addEventListener("click", (event) => {
    const chip = event.target.closest("#results .chip");
    if (!chip || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    box.value = new URL(chip.href).searchParams.get("q") ?? "";
    const label = chip.textContent;
    ask(chip.href, true).then(() => {
      [...document.querySelectorAll("#results .chip")].find((other) => other.textContent === label)?.focus();
    });
  });
  if (!box.value && matchMedia("(hover: hover)").matches) box.focus({ preventScroll: true });
}

// Looking again when the server says that something has changed.

let again;

async function reload() {
  try {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-reload]")) {
      const next = fresh.getElementById(part.id);
      if (next && next.innerHTML !== part.innerHTML) {
        const inside = part.contains(document.activeElement) && document.activeElement.id;
        part.innerHTML = next.innerHTML;
        if (inside) document.getElementById(inside)?.focus();
        choose(Math.min(chosen, entries().length - 1), false);
      }
    }
  } catch {
    // The stream of events connects again by itself, and with it comes the next look.
  }
}

const project = document.body.dataset.project;
if (project && document.querySelector("[data-reload]")) {
  const soon = () => { clearTimeout(again); again = setTimeout(reload, 120); };
  const listen = () => {
    const events = new EventSource(`/events?project=${encodeURIComponent(project)}`);
    events.addEventListener("reload", soon);
    events.addEventListener("job", (event) => {
      const job = document.querySelector("[data-job]");
      if (job?.dataset.job === String(JSON.parse(event.data).job)) soon();
    });
    return events;
  };
  // A browser has six connections to a server, for all its tabs: one that nobody looks at takes none.
  let events = document.hidden ? null : listen();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { events?.close(); events = null; }
    else if (!events) { events = listen(); soon(); }
  });
  addEventListener("pagehide", () => { events?.close(); events = null; });
  addEventListener("pageshow", () => { if (!events && !document.hidden) { events = listen(); soon(); } });
}

// Copying.

async function copy(link) {
  try {
    const lines = location.hash.match(/^#L(\d+)$/);
    const address = new URL(link.href);
    if (lines && !address.searchParams.has("lines")) address.searchParams.set("lines", lines[1]);
    const answer = await fetch(link.hasAttribute("data-whole") ? link.href : address);
    await navigator.clipboard.writeText(await answer.text());
    say("Copied.");
  } catch {
    location.assign(link.href);
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-copy]");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  copy(link);
});

// Forms that are sent when a choice is made.

for (const choice of document.querySelectorAll("[data-submit]")) {
  choice.addEventListener("change", () => choice.form.requestSubmit());
}

// Keys.

let chosen = -1;

function entries() {
  return [...main.querySelectorAll(".entry")];
}

function choose(next, scroll = true) {
  const all = entries();
  for (const entry of main.querySelectorAll(".entry.chosen")) entry.classList.remove("chosen");
  if (next < 0 || next >= all.length) { chosen = -1; return; }
  chosen = next;
  all[next].classList.add("chosen");
  const link = all[next].querySelector(".go");
  link?.focus({ preventScroll: true });
  if (scroll) all[next].scrollIntoView({ block: "nearest" });
}

const views = { s: "", r: "/repo", w: "/workspace", c: "/collections", p: "/pack", e: "/sessions", t: "/status" };
let before = "";

document.addEventListener("keydown", (event) => {
  const at = event.target;
  const typing = at.matches("input, textarea, select");
  if (event.key === "Escape") {
    if (typing) at.blur();
    choose(-1);
    return;
  }
  if (typing) {
    if (at === box && (event.key === "ArrowDown" || event.key === "Enter") && box.hasAttribute("data-live") && entries().length) {
      event.preventDefault();
      choose(0);
    }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
  const last = before;
  before = event.key;
  if (last === "g" && event.key in views && project) {
    location.assign(`/p/${encodeURIComponent(project)}${views[event.key]}`);
    return;
  }
  switch (event.key) {
    case "/":
      if (box) { event.preventDefault(); box.focus(); box.select(); }
      break;
    case "?":
      keys.showModal();
      break;
    case "j":
      choose(Math.min(chosen + 1, entries().length - 1));
      break;
    case "k":
      choose(Math.max(chosen - 1, 0));
      break;
    case "y": {
      const link = document.querySelector("[data-copy]");
      if (link) copy(link);
      break;
    }
  }
});
