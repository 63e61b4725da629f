// What makes the desk fast: everything here also works without it.
"use strict";
(() => {
  const body = document.body;
  const lost = document.getElementById("lost");
  const each = (selector, act) => document.querySelectorAll(selector).forEach(act);
  const photo = document.getElementById("photo"), preview = document.getElementById("preview"), looking = document.getElementById("looking");

  // A fault is where the person is taken, and stands in the middle of the screen.
  const faulty = document.querySelector("[data-faulty]");
  if (faulty) { faulty.focus({ preventScroll: true }); faulty.scrollIntoView({ block: "center" }); if (faulty.select) faulty.select(); }

  // A badge comes line by line from a keyboard wedge, each ending with Return: only the whole of it is a name.
  const unescaped = (text) => text.replace(/\\(.)/g, "$1").trim();
  const givenFirst = (text, sign) => text.split(sign).slice(0, 2).reverse().map(unescaped).filter(Boolean).join(" ");
  const nameOn = (card) => {
    const me = /MECARD:(?:(?:[^;\\]|\\.)*;)*?N:((?:[^;\\]|\\.)+)/i.exec(card);
    if (me) return givenFirst(me[1], ",");
    const full = /^\s*FN(?:;[^:\n]*)?:(.+)$/im.exec(card), parts = /^\s*N(?:;[^:\n]*)?:(.+)$/im.exec(card);
    return full ? unescaped(full[1]) : parts ? givenFirst(parts[1], ";") : "";
  };
  const badgeGoesOn = (field) => {
    const card = (field.dataset.card || "") + field.value + "\n";
    if (/^BEGIN:VCARD/i.test(card) && !/END:VCARD/i.test(card)) { field.dataset.card = card; field.value = ""; return true; }
    delete field.dataset.card;
    if (/^(BEGIN:VCARD|MECARD:)/i.test(card)) { field.value = nameOn(card); field.dispatchEvent(new Event("input", { bubbles: true })); }
    return false;
  };

  // Players are found while somebody types: a list under the field, by arrows and Return or by a tap.
  each("[data-find]", (field) => {
    const list = document.createElement("ul"), place = document.createElement("div");
    place.className = "finder"; list.className = "found"; list.id = `${field.id}found`; list.hidden = true;
    list.setAttribute("role", "listbox"); list.setAttribute("aria-label", field.labels[0] ? field.labels[0].textContent : "");
    field.replaceWith(place); place.append(field, list);
    ["role:combobox", "aria-autocomplete:list", "aria-expanded:false", `aria-controls:${list.id}`].forEach((one) => field.setAttribute(...one.split(":")));
    let found = [], chosen = -1, turn = 0;
    const close = () => { list.hidden = true; chosen = -1; field.setAttribute("aria-expanded", "false"); field.removeAttribute("aria-activedescendant"); };
    const mark = (number) => {
      chosen = number;
      [...list.children].forEach((one, at) => one.setAttribute("aria-selected", String(at === chosen)));
      if (chosen >= 0) field.setAttribute("aria-activedescendant", list.children[chosen].id);
    };
    const take = (number) => {
      field.value = found[number].name;
      const labels = document.getElementById("labels");
      if (labels) found[number].pieces.forEach((text) => { const option = document.createElement("option"); option.value = text; labels.append(option); });
      close(); field.dispatchEvent(new Event("change", { bubbles: true }));
    };
    field.addEventListener("input", async () => {
      const mine = ++turn, text = field.value.trim();
      if (text.length < 2 || field.readOnly) { close(); return; }
      try { found = await (await fetch(`${field.dataset.find}&q=${encodeURIComponent(text)}`)).json(); } catch { found = []; }
      if (mine !== turn || document.activeElement !== field) return;
      if (!found.length || (found.length === 1 && found[0].name === field.value)) { close(); return; }
      list.replaceChildren(...found.map((one, at) => {
        const row = document.createElement("li"), team = document.createElement("small");
        row.id = `${list.id}${at}`; row.setAttribute("role", "option"); row.setAttribute("aria-selected", "false");
        team.textContent = [one.team, one.badge].filter(Boolean).join(" · ");
        row.append(`${one.name} `, team);
        row.addEventListener("mousedown", (event) => { event.preventDefault(); take(at); });
        return row;
      }));
      list.hidden = false; field.setAttribute("aria-expanded", "true"); chosen = -1;
    });
    field.addEventListener("keydown", (event) => {
      if (list.hidden) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); mark((chosen + (event.key === "ArrowDown" ? 1 : -1) + found.length) % found.length); }
      else if (event.key === "Enter" && chosen >= 0) take(chosen);
      else if (event.key === "Escape") close();
    });
    field.addEventListener("blur", close);
  });

  // Return goes to the next field that somebody fills in, at the end to the button; only the button sends the form.
  const stops = (form) => [...form.querySelectorAll("[data-next], .choice, button.big")].filter((one) => one.offsetParent && !one.readOnly);
  const onward = (from, form) => {
    const all = stops(form), next = all[all.indexOf(from) + 1];
    if (next) (next.matches(".choice") ? next.querySelector("input:checked") || next.querySelector("input") : next).focus();
  };
  each("[data-next]", (field) => field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (!("badge" in field.dataset && badgeGoesOn(field))) onward(field, field.form);
  }));
  each(".choice input[type=radio]", (radio) => radio.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    onward(radio.closest(".choice"), radio.form);
  }));

  each("[data-all-yes]", (button) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      each("[data-count]", (one) => { one.value = one.dataset.count; one.dispatchEvent(new Event("input", { bubbles: true })); });
      each(".choice input[value=yes]", (one) => { one.checked = true; one.dispatchEvent(new Event("change", { bubbles: true })); });
      const send = document.querySelector("button.big");
      if (send) send.focus();
    });
  });

  if (window.matchMedia("(max-width: 40rem)").matches) each("[data-fold]", (one) => { one.open = false; });
  each("[data-print]", (button) => { button.hidden = false; button.addEventListener("click", () => window.print()); });
  // A file that is too large is not sent at all, and says so.
  const tooLarge = (field) => {
    const most = Number(field.dataset.most), size = [...field.files].reduce((sum, one) => sum + one.size, 0) / 1e6;
    const said = document.getElementById(field.getAttribute("aria-describedby"));
    if (said) said.textContent = size > most ? field.dataset.large.replace("#", size.toFixed(0)) : "";
    field.toggleAttribute("aria-invalid", false);
    if (size <= most) return false;
    field.value = ""; field.setAttribute("aria-invalid", "true"); field.focus();
    if (preview) preview.hidden = true;
    return true;
  };
  each("[data-size]", (field) => field.addEventListener("change", () => tooLarge(field)));
  each("[data-send]", (field) => field.addEventListener("change", () => { if (!tooLarge(field)) field.form.requestSubmit(); }));

  // A photo is sent at once and measured while the rest is typed; without a connection it goes with the form.
  each("[data-plain]", (button) => { button.hidden = true; });
  const partIn = (text) => new DOMParser().parseFromString(text, "text/html").getElementById("looked");
  const partOf = async (answer) => partIn(await answer.text());
  const shown = (part) => {
    document.getElementById("looked").replaceWith(document.adoptNode(part));
    if (part.querySelector(".fault")) photo.focus();
    const told = part.dataset, field = told.fill && document.getElementById(told.fill);
    photo.form.elements.look.value = told.token || "";
    if (told.token) { photo.value = ""; preview.hidden = true; }
    if (field && (!field.value.trim() || field.value === field.dataset.photo)) field.value = field.dataset.photo = told.value;
    photo.form.dispatchEvent(new Event("change"));
  };
  // What was said of the photo before is not true of the next one: its picture, its value in the form, its token.
  const forgotten = () => {
    const part = document.getElementById("looked"), field = part.dataset.fill && document.getElementById(part.dataset.fill);
    if (field && field.value === part.dataset.value) field.value = "";
    part.replaceChildren(); ["token", "fill", "value"].forEach((name) => { delete part.dataset[name]; });
    photo.form.elements.look.value = "";
  };
  const STATED = ["thickness", "print_scale", "reference"];
  let taken = null, turn = 0;
  const measured = async () => {
    const mine = ++turn, content = new FormData();
    forgotten();
    preview.src = URL.createObjectURL(taken); preview.hidden = false;
    looking.textContent = looking.dataset.measuring;
    photo.form.setAttribute("aria-busy", "true");
    content.append("photo", taken);
    STATED.forEach((name) => { const one = photo.form.elements[name]; if (one) content.append(name, one.value); });
    try {
      const headers = { "X-CSRF-Token": body.dataset.csrf, Accept: "application/x-ndjson" };
      const answer = await fetch(photo.dataset.look, { method: "POST", headers, body: content });
      let part = null;
      for await (const told of lines(answer)) {
        if (mine !== turn) return;
        if (told.part) part = partIn(told.part);
        else looking.textContent = told.before ? looking.dataset.before.replace("#", told.before) : looking.dataset.measuring;
      }
      if (!part) throw new Error(answer.status);
      looking.textContent = ""; shown(part);
    } catch {
      if (mine !== turn) return;
      looking.textContent = looking.dataset.later;
      const files = new DataTransfer();
      files.items.add(taken); photo.files = files.files;
    }
    photo.form.removeAttribute("aria-busy");
  };
  if (photo && preview) {
    photo.addEventListener("change", () => {
      preview.hidden = !photo.files.length;
      if (tooLarge(photo) || !photo.files.length) return;
      taken = photo.files[0]; measured();
    });
    // Told more, the same photo says more.
    STATED.map((name) => photo.form.elements[name]).forEach((field) => { if (field) field.addEventListener("change", () => { if (taken) measured(); }); });
  }
  each("#reference", (chosen) => {
    const fitting = () => each("[data-mat-only]", (one) => { one.hidden = Boolean(chosen.value); });
    chosen.addEventListener("change", fitting); fitting();
  });
  const lookAgain = async () => {
    const token = photo && photo.form.elements.look.value;
    if (!token || document.getElementById("looked").dataset.token) return;
    try { const part = await partOf(await fetch(photo.dataset.again + encodeURIComponent(token))); if (part) shown(part); } catch { /* the token is still in the form */ }
  };

  // The scale, live: its values move beside the button, and the lamp says when it stands still.
  const lines = async function* (answer) {
    const reader = answer.body.getReader(), decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value || new Uint8Array(), { stream: !done });
      const whole = rest.split("\n");
      rest = whole.pop();
      for (const line of whole) if (line) yield JSON.parse(line);
      if (done) return;
    }
  };
  // A gauge at the station's computer tells its values itself; the bytes of one at this computer are passed on raw.
  const ports = new Map();
  const byStation = async function* (button, query) {
    const answer = await fetch(`${button.dataset.url}weigh?${query}`, { method: "POST", headers: { "X-CSRF-Token": body.dataset.csrf } });
    if (!answer.ok) throw new Error(String(answer.status));
    yield* lines(answer);
  };
  const passedOn = async (button, query, bytes, ended) => {
    const content = new FormData();
    content.append("csrf", body.dataset.csrf);
    content.append("bytes", new Blob(bytes.length ? bytes : [new Uint8Array([0])]), "bytes");
    const answer = await fetch(`${button.dataset.url}bytes?${query}${ended ? "&ended=1" : ""}`, { method: "POST", body: content, headers: { "X-CSRF-Token": body.dataset.csrf } });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  };
  const bySerial = async function* (button, query, name, how) {
    if (!navigator.serial) throw new Error(button.dataset.noserial);
    const port = ports.get(name) || await navigator.serial.requestPort();
    ports.set(name, port);
    await port.open({ baudRate: how.baudRate, dataBits: how.dataBits, parity: how.parity, stopBits: how.stopBits });
    const reader = port.readable.getReader(), bytes = [], until = Date.now() + 10000;
    const asked = Uint8Array.from((how.ask.match(/../g) || []).map((two) => parseInt(two, 16)));
    try {
      let pending = reader.read(), next = 0;
      for (;;) {
        if (asked.length && Date.now() >= next && port.writable) {
          const writer = port.writable.getWriter();
          await writer.write(asked); writer.releaseLock(); next = Date.now() + 1000;
        }
        const came = await Promise.race([pending, new Promise((go) => setTimeout(go, 250))]);
        if (came && came.value) { bytes.push(came.value); }
        if (came) pending = came.done ? new Promise(() => {}) : reader.read();
        const ended = Date.now() > until;
        if (came || ended) {
          const told = await passedOn(button, query, bytes, ended);
          yield told;
          if (told.value || told.fault || ended) return;
        }
      }
    } finally { try { await reader.cancel(); reader.releaseLock(); await port.close(); } catch { /* unplugged */ } }
  };
  const readGauge = async (button, field) => {
    const bar = button.parentElement, lamp = button.querySelector(".lamp"), moving = bar.querySelector(".moving"), said = bar.querySelector(".steady");
    const gauge = button.form.querySelector(`[name=gauge_${button.dataset.unit}]`), name = gauge ? gauge.value : "";
    const query = new URLSearchParams({ unit: button.dataset.unit, gauge: name, ticket: button.form.elements.ticket.value }), how = JSON.parse(button.dataset.serial || "{}")[name];
    lamp.className = "lamp waiting"; said.textContent = said.dataset.waiting; button.disabled = true;
    try {
      for await (const told of how ? bySerial(button, query, name, how) : byStation(button, query)) {
        if (told.fault) throw new Error(told.fault);
        if (told.moving !== undefined) { moving.textContent = told.moving; continue; }
        field.form.elements[`sent_${field.name}`].value = told.sent || "";
        field.value = told.value; field.dispatchEvent(new Event("input", { bubbles: true }));
        if (gauge && [...gauge.options].some((one) => one.value === told.instrument)) gauge.value = told.instrument;
        lamp.className = "lamp stable"; said.textContent = said.dataset.stable;
      }
    } catch (problem) {
      lamp.className = "lamp"; said.textContent = problem.message || "";
    } finally { button.disabled = false; moving.textContent = ""; }
  };
  each("[data-weigh]", (button) => button.addEventListener("click", (event) => {
    event.preventDefault();
    readGauge(button, document.getElementById(button.dataset.weigh));
  }));

  // One button for many pieces: each stable value goes to the next field that is empty.
  each("[data-weigh-next]", (button) => {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const field = [...button.form.querySelectorAll(".value input[data-next]")].find((one) => !one.value.trim());
      if (field) { await readGauge(button, field); button.focus(); }
    });
  });

  // The photo of a display: proposed beside its picture, and taken over by one key, for the button has the focus.
  each("[data-display]", (button) => {
    const input = button.nextElementSibling, bar = button.parentElement, box = bar.querySelector(".proposal"), said = bar.querySelector(".steady");
    const take = box.querySelector("[data-take]"), empty = () => [...button.form.querySelectorAll(".value input[data-next]")].find((one) => !one.value.trim());
    // Without a field of its own it is for the next one that is empty.
    let told = null, field = document.getElementById(button.dataset.display);
    button.hidden = false;
    button.addEventListener("click", () => input.click());
    input.addEventListener("change", async () => {
      if (!input.files[0]) return;
      if (!button.dataset.display) field = empty() || button.form.querySelector(".value input[data-next]");
      const gauge = button.form.querySelector(`[name=gauge_${button.dataset.unit}]`), content = new FormData();
      content.append("csrf", body.dataset.csrf); content.append("photo", input.files[0]);
      said.textContent = said.dataset.reading; box.hidden = true;
      try {
        const query = new URLSearchParams({ unit: button.dataset.unit, gauge: gauge ? gauge.value : "", ticket: button.form.elements.ticket.value });
        const answer = await fetch(`${button.dataset.url}display?${query}`, { method: "POST", body: content, headers: { "X-CSRF-Token": body.dataset.csrf } });
        if (!answer.ok) throw new Error(String(answer.status));
        told = await answer.json();
        if (told.fault) throw new Error(told.fault);
        box.querySelector("img").src = told.picture; take.textContent = `✓ ${told.value}`;
        box.hidden = false; said.textContent = said.dataset.confirm; take.focus();
      } catch (problem) { said.textContent = problem.message || ""; }
      input.value = "";
    });
    take.addEventListener("click", () => {
      field.form.elements[`sent_${field.name}`].value = told.sent; field.form.elements[`display_${field.name}`].value = told.token;
      field.value = told.value; field.dispatchEvent(new Event("input", { bubbles: true }));
      box.hidden = true; said.textContent = ""; field.focus();
    });
    box.querySelector("[data-drop]").addEventListener("click", () => { box.hidden = true; said.textContent = ""; field.focus(); });
  });

  // Photos of a thing that is asked about step by step: the place in the line is shown until they are measured.
  each("form[data-brought]", (form) => form.addEventListener("submit", async (event) => {
    const photos = form.elements.photos, said = form.querySelector("[data-looking]");
    if (!photos || !photos.files.length || !said) return;
    event.preventDefault();
    const button = form.querySelector("button:not([type=button])");
    button.disabled = true; said.textContent = said.dataset.measuring;
    try {
      const answer = await fetch(form.action, { method: "POST", body: new FormData(form), headers: { Accept: "application/x-ndjson" } });
      if (!(answer.headers.get("content-type") || "").includes("ndjson")) { document.open(); document.write(await answer.text()); document.close(); return; }
      for await (const told of lines(answer)) {
        if (told.go) { location.assign(told.go); return; }
        if (told.part) { document.open(); document.write(told.part); document.close(); return; }
        said.textContent = told.before ? said.dataset.before.replace("#", told.before) : said.dataset.measuring;
      }
      throw new Error("ended");
    } catch { said.textContent = said.dataset.lost; button.disabled = false; }
  }));

  // What was typed outlives a broken network, a closed lid and a restarted station; it goes when it was sent.
  const texts = (form) => [...form.elements].filter((one) => one.name && !["csrf", "pin", "own_pin"].includes(one.name) && one.type !== "file" && one.type !== "password");
  const mine = (key) => `kept:${body.dataset.who}:${key}`;
  const store = { get: (key) => { try { return JSON.parse(localStorage.getItem(mine(key))); } catch { return null; } },
                  set: (key, value) => { try { localStorage.setItem(mine(key), JSON.stringify(value)); } catch { /* a full or forbidden store: nothing is kept */ } },
                  drop: (key) => { try { localStorage.removeItem(mine(key)); } catch { /* as above */ } } };
  const newTicket = (letters) => [...crypto.getRandomValues(new Uint32Array(16))].map((one) => letters[one % letters.length]).join("");
  each("form[data-keep]", (form) => {
    const key = form.dataset.keep, kept = store.get(key);
    const blank = !document.querySelector(".fault") && !form.querySelector("[name=retest]") && !location.search;
    // A form that comes from this device's own store, without the network, must not repeat a ticket that was used.
    if (blank && !kept && form.dataset.letters) form.elements.ticket.value = newTicket(form.dataset.letters);
    if (kept && blank) texts(form).forEach((one) => {
      if (!(one.name in kept)) return;
      if (one.type === "radio" || one.type === "checkbox") one.checked = kept[one.name].includes(one.value);
      else one.value = kept[one.name][0];
    });
    if (kept && blank && form.elements.look) lookAgain();
    const keep = () => {
      const now = {};
      texts(form).forEach((one) => {
        now[one.name] = now[one.name] || [];
        if (one.type === "radio" || one.type === "checkbox") { if (one.checked) now[one.name].push(one.value); } else now[one.name].push(one.value);
      });
      store.set(key, now);
    };
    form.addEventListener("input", keep);
    form.addEventListener("change", keep);
    form.addEventListener("submit", (event) => { if (!event.submitter || !event.submitter.dataset.weigh) send(event, form, key); });
  });

  const pause = (seconds) => new Promise((go) => setTimeout(go, 1000 * seconds));

  // What could not be sent is kept on this device, photo and all. It is called kept only once it really is.
  const box = (mode, act) => new Promise((done, failed) => {
    const opening = indexedDB.open("inspect-kit-desk", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("outbox", { keyPath: "ticket" });
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const deal = opening.result.transaction("outbox", mode), asked = act(deal.objectStore("outbox"));
      deal.oncomplete = () => { opening.result.close(); done(asked.result); };
      deal.onerror = deal.onabort = () => { opening.result.close(); failed(deal.error); };
    };
  });
  const waiting = async () => { try { return (await box("readonly", (all) => all.getAll())).filter((one) => one.who === body.dataset.who); } catch { return []; } };
  const keepToSend = async (form, content) => {
    const fields = [...content.entries()].filter(([name]) => name !== "csrf");
    try { await box("readwrite", (all) => all.put({ ticket: content.get("ticket"), who: body.dataset.who, action: form.action, fields })); return true; } catch { return false; }
  };
  const sent = async (ticket) => { try { await box("readwrite", (all) => all.delete(ticket)); } catch { /* it would be sent again, and entered once */ } };
  const say = (text, ...more) => { lost.hidden = !text; lost.replaceChildren(text, ...more); };
  const connection = document.getElementById("connection");
  const online = (yes) => { connection.hidden = false; connection.classList.toggle("off", !yes); connection.textContent = yes ? body.dataset.connected : body.dataset.offline; };
  const reachable = async () => { try { const yes = (await fetch("/empty", { cache: "no-store" })).ok; online(yes); return yes; } catch { online(false); return false; } };

  // One after the other; the ticket in each keeps an act from being done twice, whoever sends it again.
  let flushing = false;
  const flush = async () => {
    if (flushing || !body.dataset.who) return;
    flushing = true;
    const links = [];
    for (const one of await waiting()) {
      const content = new FormData();
      one.fields.forEach(([name, value]) => content.append(name, value));
      content.append("csrf", body.dataset.csrf);
      let answer;
      try { answer = await fetch(one.action, { method: "POST", body: content }); } catch { break; }
      const link = document.createElement("a");
      if (answer.redirected && answer.url.includes("/tickets/")) { await sent(one.ticket); link.href = answer.url; link.textContent = (one.fields.find(([name]) => name === "owner") || ["", ""])[1] || one.ticket; }
      else if (answer.status === 422) {
        await sent(one.ticket);
        store.set(`desk-${one.action.split("/events/")[1].replace("/desk/", "-")}`, Object.fromEntries(one.fields.filter(([, value]) => typeof value === "string").map(([name, value]) => [name, [value]])));
        link.href = one.action; link.textContent = body.dataset.faultySent;
      } else break;
      links.push(" ", link);
    }
    const left = (await waiting()).length;
    if (links.length) say(body.dataset.sent.replace("#", links.length / 2), ...links);
    else if (left) say(body.dataset.kept.replace("#", left));
    flushing = false;
  };
  const list = document.querySelector("[data-outbox]");
  if (list) box("readonly", (all) => all.getAll()).catch(() => []).then((all) => list.replaceChildren(...all.map((one) => { const row = document.createElement("li"); row.textContent = (one.fields.find(([name]) => name === "owner") || ["", one.ticket])[1]; return row; })));
  const look = async () => { if (await reachable() && !sendingNow) flush(); };
  let sendingNow = false;
  if (connection) { look(); setInterval(look, 10000); window.addEventListener("online", look); window.addEventListener("offline", () => online(false)); }

  // Send by hand, so that a lost connection is waited for; meanwhile somebody may go on with the next one.
  async function send(event, form, key) {
    event.preventDefault();
    const content = new FormData(form, event.submitter), queues = form.dataset.letters && event.submitter && event.submitter.classList.contains("big");
    each("button", (one) => { one.disabled = true; });
    sendingNow = true;
    let kept = false, gone = false;
    for (let turn = 0; !gone; turn += 1) {
      try {
        const answer = await fetch(form.action, { method: "POST", body: content });
        if (kept && (answer.redirected || answer.status === 422)) await sent(content.get("ticket"));
        if (gone) break;
        say(""); online(true);
        const page = await answer.text();
        if (answer.redirected) { store.drop(key); location.assign(answer.url); return; }
        document.open(); document.write(page); document.close();
        return;
      } catch {
        online(false);
        if (queues && !kept) {
          kept = await keepToSend(form, content);
          const next = document.createElement("button");
          next.type = "button"; next.textContent = body.dataset.goOn;
          next.addEventListener("click", () => { gone = true; store.drop(key); location.assign(form.action); });
          say(`${body.dataset.lost} ${kept ? body.dataset.kept.replace("#", (await waiting()).length) : body.dataset.unkept}`, ...(kept ? [next] : []));
        } else if (!queues) say(`${body.dataset.lost} ${body.dataset.unkept}`);
        await pause(Math.min(5, 1 + turn));
      }
    }
  }

  // On this device nothing of a person stays behind when they sign out, but for what was not sent yet.
  each("form[data-forget]", (form) => form.addEventListener("submit", () => {
    try { Object.keys(localStorage).filter((key) => key.startsWith("kept:")).forEach((key) => localStorage.removeItem(key)); } catch { /* nothing is kept then */ }
    if (navigator.serviceWorker && navigator.serviceWorker.controller) navigator.serviceWorker.controller.postMessage("forget");
  }));
  if (window.isSecureContext && navigator.serviceWorker) navigator.serviceWorker.register(`/worker.js?v=${body.dataset.version}`).catch(() => { /* it works without, while there is a network */ });

  // Pages that change by themselves: the station says that something has happened, and the live parts are drawn anew.
  const news = document.querySelector("[data-news]");
  if (news && window.EventSource) {
    const line = news.querySelector("[data-line]");
    let busy = false, more = false;
    const redraw = async () => {
      // News that comes while the page is drawn anew is not lost: it is drawn once more. Nor is what somebody has the focus in changed under them.
      if (busy || document.querySelector("[data-live] :focus")) { more = true; return; }
      busy = true; more = false;
      try {
        const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
        const selector = "whole" in news.dataset ? "section.verdict, [data-live-part]" : "[data-live]";
        const now = document.querySelectorAll(selector), then = page.querySelectorAll(selector);
        if (now.length === then.length) now.forEach((part, place) => { if (part.outerHTML !== then[place].outerHTML) part.replaceWith(document.adoptNode(then[place])); });
      } catch { /* the next news will tell */ }
      busy = false;
      if (more) redraw();
    };
    document.addEventListener("focusout", () => setTimeout(() => { if (more) redraw(); }, 200));
    const source = new EventSource(news.dataset.news);
    // The first news too: something may have happened between the page and its line to the station.
    source.onmessage = redraw;
    source.onopen = () => { if (line) line.textContent = news.dataset.on; };
    source.onerror = () => { if (line) line.textContent = news.dataset.off; };
  }

  // A certificate that is being made: look again until it is there.
  const making = document.querySelector("[data-making]");
  if (making) {
    const again = async (left) => {
      if (!left) return;
      await pause(1);
      try {
        const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
        const state = page.querySelector("section.state");
        if (state && !page.querySelector("[data-making]")) { document.querySelector("section.state").replaceWith(document.adoptNode(state)); return; }
      } catch { /* the next turn will tell */ }
      again(left - 1);
    };
    again(120);
  }
})();
