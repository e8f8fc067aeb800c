// What the console adds to plain links and forms. Every page works without it.
(() => {
  "use strict";
  const root = document.documentElement;
  root.dataset.js = "";

  const words = document.body.dataset;
  const dialog = document.getElementById("dialog");
  const shortcuts = document.getElementById("shortcuts");

  // --- a short message at the foot of the window -------------------------------------------------------
  let toastTimer = 0;
  function say(message) {
    const toast = document.getElementById("toast");
    if (!toast) return;
    toast.textContent = message;
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => { toast.textContent = ""; }, 2000);
  }

  // --- copy ---------------------------------------------------------------------------------------------
  // The clipboard interface exists on https and localhost only; elsewhere the old way still works.
  async function writeClipboard(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "sr";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("copy refused");
  }
  async function copy(button) {
    try {
      await writeClipboard(button.dataset.copy);
      button.dataset.ok = "";
      setTimeout(() => { delete button.dataset.ok; }, 2000);
      say(words.copied);
    } catch {
      say(words.copyFailed);
    }
  }

  // --- dialogs --------------------------------------------------------------------------------------------
  // The link leads to a page with the form, or with a panel that only tells; the dialog shows it taken out of that page. It is fetched
  // anew each time, so that each opening has an operation id and a state of its own.
  let opening = false;
  async function openDialog(link) {
    if (!dialog || opening) return;
    opening = true;
    link.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(link.href, { headers: { Accept: "text/html" }, credentials: "same-origin", cache: "no-store" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const form = page.getElementById("form") ?? page.getElementById("panel");
      if (!answer.ok || !form) {
        location.assign(link.href);
        return;
      }
      dialog.replaceChildren(document.adoptNode(form));
      dialog.showModal();
      if (form.id === "panel") markPanel();
      for (const input of form.querySelectorAll("input")) tellAmount(input);
      form.querySelector("[data-cancel]")?.focus();
    } catch {
      location.assign(link.href);
    } finally {
      opening = false;
      link.removeAttribute("aria-busy");
    }
  }

  // A panel counts as a place of its own, so that Back closes it and stays on the page. A form does not: leaving it by Back
  // would lose what was typed. htmx must not take either step for one of its own, so this listens first.
  let marked = false;
  let unmarking = false;
  function markPanel() {
    history.pushState({ panel: true }, "");
    marked = true;
  }
  function unmarkPanel() {
    if (!marked) return;
    marked = false;
    unmarking = true;
    history.back();
  }
  addEventListener("popstate", (e) => {
    if (!marked && !unmarking) return;
    e.stopImmediatePropagation();
    unmarking = false;
    if (marked) {
      marked = false;
      dialog.close();
    }
  });

  // --- theme ------------------------------------------------------------------------------------------------
  // The button shows its effect at once and stores the choice with the person; without script the form is posted.
  const themes = ["auto", "light", "dark"];
  let themeStored = Promise.resolve();
  function changeTheme(button) {
    const chosen = button.value;
    root.dataset.theme = chosen;
    const following = themes[(themes.indexOf(chosen) + 1) % themes.length];
    const body = new URLSearchParams(new FormData(button.form));
    body.set("theme", chosen);
    for (const other of document.querySelectorAll("[data-theme-form] button")) other.value = following;
    // A choice that could not be stored still holds for this page.
    // One after another: of two on their way at once the earlier could be stored last.
    const store = () => fetch(button.form.action, { method: "POST", body, credentials: "same-origin", redirect: "manual", keepalive: true });
    themeStored = themeStored.then(store).catch(() => {});
  }

  // --- relative times -----------------------------------------------------------------------------------------
  // Cuts as Locale.Ago does.
  function ago(then, now) {
    const s = Math.trunc((now - then) / 1000);
    if (Math.abs(s) < 10) return words.agoNow;
    const n = Math.abs(s);
    const [unit, size] = n < 60 ? ["S", 1] : n < 3600 ? ["Min", 60] : n < 86400 ? ["H", 3600] : ["D", 86400];
    const span = words["unit" + unit].replace("{1}", String(Math.trunc(n / size)));
    return (s < 0 ? words.agoIn : words.agoPast).replace("{1}", span);
  }
  function refreshTimes() {
    const now = Date.now();
    for (const t of document.querySelectorAll("time[data-relative]")) {
      const then = Date.parse(t.dateTime);
      if (!Number.isNaN(then)) t.textContent = ago(then, now);
    }
  }
  setInterval(refreshTimes, 30_000);

  // --- the current entry of a row of links that is wider than the window -----------------------------------------
  function showCurrent() {
    for (const row of document.querySelectorAll(".rail, .choices")) {
      const here = row.querySelector("[aria-current]");
      if (here && row.scrollWidth > row.clientWidth) {
        row.scrollLeft += here.getBoundingClientRect().right - row.getBoundingClientRect().right + 16;
      }
    }
  }
  showCurrent();

  // --- the balance after an amount that is being typed -----------------------------------------------------------
  // Exact: amounts are BigInt, never numbers of the language. What cannot be read yet says nothing; the server decides.
  const minus = "\u2212";
  const biggest = 2n ** 63n - 1n;
  function group(n) {
    const digits = (n < 0n ? -n : n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
    return n < 0n ? minus + digits : digits;
  }
  function readAmount(text) {
    const m = /^([-+\u2212\uff0d\uff0b]?)(\d{1,3}([, \u00a0\u202f]\d{3})+|\d+)$/.exec(text.replace(/[\uff0b\uff0c\uff10-\uff19]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0)).replace(/\u3000/g, " ").trim());
    if (!m) return null;
    const n = BigInt(m[2].replace(/\D/g, ""));
    return m[1] === "" || m[1] === "+" || m[1] === "\uff0b" ? n : -n;
  }
  function tellAmount(input) {
    const live = document.querySelector(`[data-live-amount="${input.id}"]`);
    if (!live) return;
    const amount = readAmount(input.value);
    live.hidden = amount === null;
    if (amount === null) return;
    const after = BigInt(live.dataset.balance || "0") + amount;
    const tooLarge = after > biggest || after < -biggest - 1n;
    const line = live.querySelector("[data-after]");
    line.hidden = tooLarge;
    line.querySelector("b").textContent = group(after);
    line.querySelector("b").classList.toggle("neg", after < 0n);
    live.querySelector("[data-too-large]").hidden = !tooLarge;
    const above = live.querySelector("[data-above]");
    const limit = amount < 0n ? live.dataset.limitTake : live.dataset.limitAdd;
    if (above && limit) above.hidden = (amount < 0n ? -amount : amount) <= BigInt(limit);
  }
  document.addEventListener("input", (e) => {
    if (e.target instanceof HTMLInputElement) tellAmount(e.target);
  });
  for (const live of document.querySelectorAll("[data-live-amount]")) {
    const input = document.getElementById(live.dataset.liveAmount);
    if (input) tellAmount(input);
  }

  // --- clicks ---------------------------------------------------------------------------------------------------
  document.addEventListener("click", (e) => {
    const target = e.target instanceof Element ? e.target : null;
    if (!target) return;
    const copyButton = target.closest("[data-copy]");
    if (copyButton) {
      copy(copyButton);
      return;
    }
    if (target.closest("[data-shortcuts]")) {
      document.getElementById("me")?.hidePopover?.();
      shortcuts?.showModal();
      return;
    }
    if (target === dialog || target === shortcuts) {
      target.close();
      return;
    }
    if (e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    if (dialog?.open && target.closest("[data-cancel]")) {
      e.preventDefault();
      dialog.close();
      return;
    }
    // A link out of the panel takes the panel's place among the steps, so that Back leads to the list at once.
    const out = target.closest("#panel a[href]:not([data-dialog], [target], [download])");
    if (out && marked) {
      e.preventDefault();
      location.replace(out.href);
      return;
    }
    const link = target.closest("a[data-dialog]");
    if (link) {
      e.preventDefault();
      openDialog(link);
      return;
    }
    // A row opens what its first link opens, unless something in it was meant or its text was selected.
    const row = target.closest("tr[data-row]");
    if (row && !target.closest("a, button, input, select, label, summary") && getSelection().isCollapsed) {
      opener(row)?.click();
    }
  });
  dialog?.addEventListener("close", () => {
    dialog.replaceChildren();
    unmarkPanel();
  });

  document.addEventListener("submit", (e) => {
    const form = e.target;
    if (form.matches("[data-theme-form]") && e.submitter) {
      e.preventDefault();
      changeTheme(e.submitter);
      return;
    }
    // Said, not enforced: a second click carries the same operation id and is a replay.
    if (form.method === "post") e.submitter?.setAttribute("aria-busy", "true");
  });
  window.addEventListener("pageshow", () => {
    for (const b of document.querySelectorAll("[aria-busy]")) b.removeAttribute("aria-busy");
  });

  // --- keys -----------------------------------------------------------------------------------------------------
  // In a narrow window the rail is a row that scrolls: the page that one is on shall be in sight.
  document.querySelector(".rail [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

  const typing = (el) => el instanceof HTMLElement && (el.isContentEditable || el.matches("input:not([type=checkbox], [type=radio]), textarea, select"));
  const rows = () => [...document.querySelectorAll("tr[data-row]")];
  const currentRow = () => document.activeElement?.closest("tr[data-row]");
  // What a row opens: the link that says so, else the one of its name.
  const opener = (row) => row.querySelector("a[data-open], [data-open] a") ?? row.querySelector("td.lead a[href]") ?? row.querySelector("a[href]");

  function move(step) {
    const all = rows();
    if (all.length === 0) return;
    const at = all.indexOf(currentRow());
    const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1);
    goTo(all[next]);
  }
  function goTo(row) {
    const link = opener(row);
    link?.focus();
    link?.scrollIntoView({ block: "nearest" });
  }

  // After something was done the work goes on where it was: at the row that the address names, at the first one if that
  // has left the list meanwhile, else at what is told of it.
  function land() {
    const named = location.hash.startsWith("#row-") ? decodeURIComponent(location.hash.slice(1)) : "";
    const told = document.querySelector(".notices[data-told] .notice");
    if (!named && !told) return;
    const row = named ? document.getElementById(named)?.closest("tr[data-row]") ?? rows()[0] : null;
    if (row && opener(row)) {
      goTo(row);
    } else if (told) {
      told.tabIndex = -1;
      told.focus();
    }
  }
  land();

  document.addEventListener("keydown", (e) => {
    if (e.isComposing) return;
    const search = document.querySelector("[data-search]");
    if (e.key === "k" && (e.ctrlKey || e.metaKey) && !e.shiftKey && !e.altKey) {
      if (search && !document.querySelector("dialog[open]")) {
        e.preventDefault();
        search.focus();
        search.select();
      }
      return;
    }
    if (e.key === "Escape" && document.activeElement === search) {
      search.blur();
      return;
    }
    if (e.ctrlKey || e.metaKey || e.altKey || typing(document.activeElement) || document.querySelector("dialog[open]")) return;
    switch (e.key) {
      case "/":
        if (search) {
          e.preventDefault();
          search.focus();
          search.select();
        }
        break;
      case "?":
        shortcuts?.showModal();
        break;
      case "j":
        move(1);
        break;
      case "k":
        move(-1);
        break;
      default: {
        if (!/^[a-z]$/.test(e.key)) break;
        // In a list the letter is about the row, on an object's page about the object. It opens a dialog or moves the
        // focus to what acts at once; it never acts itself.
        const keyed = `[data-key="${e.key}"]`;
        const action = currentRow()?.querySelector(keyed) ?? [...document.querySelectorAll(keyed)].find((other) => !other.closest("tr[data-row]"));
        if (!action) break;
        e.preventDefault();
        if (action.matches("[data-tick]")) {
          // Selecting a row changes nothing but the page.
          action.click();
          break;
        }
        if (action.matches("a[data-dialog]")) openDialog(action);
        else action.focus();
      }
    }
  });

  // --- rows that are selected ------------------------------------------------------------------------------------
  // The boxes and the buttons work without script; it counts what is selected and holds the buttons back while nothing is.
  function tellTicked() {
    const bar = document.querySelector(".bulkbar");
    if (!bar) return;
    const boxes = [...document.querySelectorAll("[data-tick]")];
    const ticked = boxes.filter((b) => b.checked).length;
    const whole = bar.querySelector("[data-whole]")?.checked ?? false;
    const all = bar.querySelector("[data-tick-all]");
    all.checked = boxes.length > 0 && ticked === boxes.length;
    all.indeterminate = ticked > 0 && ticked < boxes.length;
    const told = bar.querySelector("[data-ticked]");
    told.textContent = whole || ticked === 0 ? "" : `${ticked} ${told.dataset.ticked}`;
    for (const b of bar.querySelectorAll("button")) b.disabled = ticked === 0 && !whole;
  }
  document.addEventListener("change", (e) => {
    if (!e.target.matches?.("[data-tick], [data-tick-all], [data-whole]")) return;
    if (e.target.matches("[data-tick-all]")) {
      for (const b of document.querySelectorAll("[data-tick]")) b.checked = e.target.checked;
    }
    tellTicked();
  });
  window.addEventListener("pageshow", tellTicked);
  tellTicked();

  // --- htmx -------------------------------------------------------------------------------------------------------
  // An answer without the list (a sign-in page, an error page) is not forced into the place of the list: the
  // browser goes to the address itself and shows what there is.
  document.addEventListener("htmx:beforeSwap", (e) => {
    const { xhr, target, requestConfig } = e.detail;
    if (target?.id !== "list" || requestConfig?.verb !== "get") return;
    const isList = /\bid="?list"?[\s>]/.test(xhr.response);
    if (isList) {
      // Also one that says that its rows could not be read.
      e.detail.shouldSwap = true;
    } else {
      e.detail.shouldSwap = false;
      location.assign(xhr.responseURL || requestConfig.path);
    }
  });
  document.addEventListener("htmx:sendError", (e) => {
    const path = e.detail.requestConfig?.path;
    if (path && e.detail.requestConfig.verb === "get" && e.detail.target?.id === "list") location.assign(path);
  });
  document.addEventListener("htmx:afterSettle", () => {
    refreshTimes();
    showCurrent();
    tellTicked();
  });
  // Fields left empty are no filter and have no place in the URL.
  document.addEventListener("htmx:configRequest", (e) => {
    if (e.detail.verb !== "get") return;
    for (const [name, value] of [...e.detail.formData.entries()]) {
      if (value === "") e.detail.formData.delete(name);
    }
  });
})();
