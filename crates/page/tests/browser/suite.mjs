// The page in a real browser: every view in both themes, every flow by keyboard alone, and without scripts.
//
// node suite.mjs FOLDER: the folder of the project called `demo` that a server has; LINK is the command that prints a link which lets
// a browser in, once. scripts/browser makes both and runs this.

import assert from "node:assert/strict";
import { execSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [folder] = process.argv.slice(2);
const newLink = () => JSON.parse(execSync(process.env.LINK, { encoding: "utf8" })).open;
const base = new URL(newLink()).origin;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });

const views = {
  search: "/p/demo",
  hits: "/p/demo?q=how+long+to+wait",
  "no hits": "/p/demo?q=wait&lang=rust",
  document: "/p/demo/doc/docs/retries.md?lines=3-5",
  hostile: "/p/demo/doc/docs/hostile.md",
  source: "/p/demo/file/demo/src/backoff.py?lines=6-8",
  definitions: "/p/demo/symbols?name=backoff_delay",
  repository: "/p/demo/repo/demo",
  folder: "/p/demo/repo/demo?at=src",
  collections: "/p/demo/collections",
  collection: "/p/demo/collections/docs",
  workspace: "/p/demo/workspace",
  pack: "/p/demo/pack?budget=8000",
  summary: "/p/demo/pack?type=summary",
  receipts: "/p/demo/receipts",
  sessions: "/p/demo/sessions",
  session: "/p/demo/sessions/mend?q=wait",
  status: "/p/demo/status?doctor=1",
  missing: "/p/demo/file/demo/src/gone.py",
};

let failed = 0;

async function test(name, body) {
  const started = Date.now();
  try {
    await body();
    console.log(`ok    ${name} (${Date.now() - started} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n${error.stack}`);
  }
}

// A page that must be silent: no error on the console, no request to anywhere else, no dialog.
async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  await page.goto(newLink());
  const heard = [];
  page.on("console", (message) => {
    // That a page was not found is said by the browser itself.
    if (["error", "warning"].includes(message.type()) && !/404 \(Not Found\)/.test(message.text())) heard.push(message.text());
  });
  page.on("pageerror", (error) => heard.push(String(error)));
  page.on("dialog", (dialog) => { heard.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(base).origin) heard.push(`request to ${request.url()}`);
  });
  page.silent = async () => {
    await context.close();
    assert.deepEqual(heard, []);
  };
  return page;
}

async function violations(page) {
  // Evaluated by the debugger, which the policy of the page does not bind.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map((it) => `${it.id}: ${it.nodes.map((node) => `${node.target} ${node.failureSummary}`).slice(0, 3).join(" | ")}`);
}

const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute("href") ?? document.activeElement?.id);

await test("only a link lets a browser in, once", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  assert.equal((await page.goto(`${base}/p/demo`)).status(), 401);
  const link = newLink();
  assert.equal((await page.goto(link)).status(), 200);
  assert.equal(new URL(page.url()).pathname, "/p/demo");
  const [cookie] = await context.cookies();
  assert.ok(cookie.httpOnly && cookie.sameSite === "Strict");
  await context.clearCookies();
  assert.equal((await page.goto(link)).status(), 403);
  await context.close();
});

await test("an edit is found within two seconds, and an open page shows it by itself", async () => {
  const page = await open();
  await page.goto(`${base}/p/demo?q=quincelike`);
  assert.equal(await page.locator(".hit").count(), 0);
  writeFileSync(`${folder}/docs/quince.md`, "# Quince\n\nA quincelike fruit.\n");
  await page.waitForSelector(".hit .go[href*='quince.md']", { timeout: 2000 });
  await page.silent();
});

for (const colorScheme of ["light", "dark"]) {
  await test(`every view is accessible and silent, ${colorScheme}`, async () => {
    const page = await open({ colorScheme });
    const wrong = [];
    for (const [name, path] of Object.entries(views)) {
      await page.goto(base + path);
      await page.waitForSelector("h1", { state: "attached" });
      wrong.push(...(await violations(page)).map((it) => `${name}: ${it}`));
    }
    await page.goto(`${base}/p/demo`);
    await page.locator("#q").blur();
    await page.keyboard.press("?");
    wrong.push(...(await violations(page)).map((it) => `keys: ${it}`));
    assert.deepEqual(wrong, []);
    await page.silent();
  });
}

await test("every view fits on a phone", async () => {
  const page = await open({ viewport: { width: 360, height: 720 }, isMobile: true, hasTouch: true });
  const wide = [];
  for (const [name, path] of Object.entries(views)) {
    await page.goto(base + path);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 360) wide.push(`${name}: ${width}`);
  }
  assert.deepEqual(wide, []);
  await page.silent();
});

await test("a search by keyboard alone, with results as one types", async () => {
  const page = await open();
  await page.goto(`${base}/p/demo/status`);
  await page.keyboard.press("/");
  assert.equal(await focused(page), "q");
  await page.keyboard.type("how long to wait");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".hit");
  await page.keyboard.press("/");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("cached answers");
  await page.waitForFunction(() => location.search.includes("cached+answers") && document.querySelector(".hit .go")?.getAttribute("href").includes("cache.md"));
  await page.keyboard.press("ArrowDown");
  const first = await focused(page);
  assert.match(first, /cache\.md/);
  await page.keyboard.press("j");
  assert.notEqual(await focused(page), first);
  await page.keyboard.press("k");
  assert.equal(await focused(page), first);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/doc\/docs\/cache\.md/);
  await page.goBack();
  assert.match(page.url(), /cached\+answers/);
  await page.silent();
});

await test("help, views and colours by keyboard alone", async () => {
  const page = await open({ colorScheme: "light" });
  await page.goto(`${base}/p/demo/status`);
  await page.keyboard.press("?");
  assert.equal(await page.locator("#keys").getAttribute("open"), "");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#keys").getAttribute("open"), null);
  for (const [key, path] of Object.entries({ r: "/p/demo/repo/demo", c: "/p/demo/collections", p: "/p/demo/pack", e: "/p/demo/sessions", w: "/p/demo/workspace", t: "/p/demo/status", s: "/p/demo" })) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.waitForURL(base + path);
    await page.locator("#q").blur();
  }
  await page.locator(".switch button").focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("html[data-theme=dark]");
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(20, 22, 26)");
  await page.silent();
});

await test("a chip narrows the search and keeps its place", async () => {
  const page = await open();
  await page.goto(`${base}/p/demo?q=wait`);
  await page.locator(".chip", { hasText: "code" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.search.includes("kind=code") && document.querySelector(".chip[aria-current]")?.textContent === "code");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "code");
  assert.equal(await page.locator(".hit .go[href*='/doc/']").count(), 0);
  await page.goBack();
  await page.waitForFunction(() => !document.querySelector(".chip[aria-current]"));
  await page.silent();
});

await test("why a hit ranks can be opened", async () => {
  const page = await open();
  await page.goto(`${base}/p/demo?q=wait`);
  await page.locator(".why summary").first().focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".why[open] dl >> text=words");
  await page.silent();
});

await test("lines are copied for a prompt", async () => {
  const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(base + views.source);
  await page.keyboard.press("y");
  await page.waitForSelector("#said >> text=Copied.");
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /^demo\/src\/backoff\.py:6-8\n\n```python\ndef backoff_delay/);
  await page.silent();
});

await test("indexing by a button, with progress, and open pages follow", async () => {
  const page = await open();
  const other = await open();
  await other.goto(`${base}/p/demo/collections`);
  const before = await other.locator("td.num").first().textContent();
  writeFileSync(`${folder}/docs/marmalade-${Date.now()}.md`, "# Marmalade\n\nOranges and sugar.\n");
  await page.goto(`${base}/p/demo/collections`);
  await page.locator("button", { hasText: "Index all" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/jobs\/\d+/);
  await page.waitForSelector(".state.good >> text=done", { timeout: 30000 });
  await other.waitForFunction((before) => document.querySelector("td.num").textContent !== before, before, { timeout: 10000 });
  await page.silent();
  await other.silent();
});

await test("a pack follows its budget and is downloaded with a receipt", async () => {
  const page = await open({ acceptDownloads: true });
  await page.goto(`${base}/p/demo/pack`);
  await page.locator("#budget").focus();
  await page.locator("#budget").selectOption("4000");
  await page.waitForURL(/budget=4000/);
  const download = page.waitForEvent("download");
  await page.locator("button", { hasText: "Markdown" }).focus();
  await page.keyboard.press("Enter");
  assert.equal((await download).suggestedFilename(), "demo-pack.md");
  await page.goto(`${base}/p/demo/receipts`);
  await page.waitForSelector(".state.good >> text=none changed, missing or moved");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/receipts\/\d+/);
  await page.silent();
});

await test("searching and reading work without scripts", async () => {
  const page = await open({ javaScriptEnabled: false });
  await page.goto(base);
  await page.locator("#q").fill("how long to wait");
  await page.locator("#q").press("Enter");
  assert.ok((await page.locator(".hit").count()) > 0);
  await page.locator(".hit .go[href*='/doc/']").first().click();
  assert.match(page.url(), /\/doc\/docs\/retries\.md/);
  assert.ok(await page.locator("#hit").isVisible());
  await page.locator(".rendered a", { hasText: "the cache" }).click();
  assert.match(page.url(), /cache\.md/);
  for (const path of Object.values(views)) {
    await page.goto(base + path);
    assert.ok((await page.locator("main").innerText()).length > 40, path);
  }
  await page.goto(`${base}/p/demo/status`);
  await page.locator("button", { hasText: "Index everything" }).click();
  await page.waitForSelector(".state.good >> text=done", { timeout: 30000 });
  await page.locator(".switch button").click();
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await page.silent();
});

await browser.close();
console.log(failed ? `${failed} failed` : "all passed");
process.exit(failed ? 1 : 0);
