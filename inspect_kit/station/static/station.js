// What makes the desk fast: everything here also works without it.
"use strict";
(() => {
  const body = document.body;
  const lost = document.getElementById("lost");
  const each = (selector, act) => document.querySelectorAll(selector).forEach(act);

  // A keyboard wedge ends with Return: that goes to the next field, and only the button sends the form.
  each("[data-next]", (field) => field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const all = [...field.form.querySelectorAll("input:not([type=hidden]), select, button.big")].filter((one) => one.offsetParent);
    const next = all[all.indexOf(field) + 1];
    if (next) next.focus();
  }));

  each("[data-all-yes]", (button) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      each(".choice input[value=yes]", (one) => { one.checked = true; one.dispatchEvent(new Event("change", { bubbles: true })); });
      const send = document.querySelector("button.big");
      if (send) send.focus();
    });
  });

  each("[data-print]", (button) => { button.hidden = false; button.addEventListener("click", () => window.print()); });
  each("[data-send]", (field) => field.addEventListener("change", () => field.form.requestSubmit()));

  const photo = document.getElementById("photo"), preview = document.getElementById("preview");
  if (photo && preview) photo.addEventListener("change", () => {
    preview.hidden = !photo.files.length;
    if (photo.files.length) preview.src = URL.createObjectURL(photo.files[0]);
  });

  // The scale: the lamp says whether it stands still.
  each("[data-weigh]", (button) => button.addEventListener("click", async (event) => {
    event.preventDefault();
    const field = document.getElementById(button.dataset.weigh), lamp = button.querySelector(".lamp");
    const said = button.parentElement.querySelector(".steady");
    lamp.className = "lamp waiting"; said.textContent = said.dataset.waiting; button.disabled = true;
    try {
      const answer = await fetch(button.dataset.url, { method: "POST", headers: { "X-CSRF-Token": body.dataset.csrf } });
      const told = await answer.json();
      if (!answer.ok) throw new Error(told.fault);
      field.value = told.value; field.dispatchEvent(new Event("input", { bubbles: true }));
      const gauge = field.form.querySelector("[name=gauge_g]");
      if (gauge && [...gauge.options].some((one) => one.value === told.instrument)) gauge.value = told.instrument;
      lamp.className = "lamp stable"; said.textContent = said.dataset.stable;
    } catch (problem) {
      lamp.className = "lamp"; said.textContent = problem.message || "";
    } finally { button.disabled = false; }
  }));

  // What was typed outlives a broken network, a closed lid and a restarted station; it goes when it was sent.
  const texts = (form) => [...form.elements].filter((one) => one.name && !["csrf", "pin", "own_pin"].includes(one.name) && one.type !== "file" && one.type !== "password");
  const store = { get: (key) => { try { return JSON.parse(sessionStorage.getItem(key)); } catch { return null; } },
                  set: (key, value) => { try { sessionStorage.setItem(key, JSON.stringify(value)); } catch { /* a full or forbidden store: nothing is kept */ } },
                  drop: (key) => { try { sessionStorage.removeItem(key); } catch { /* as above */ } } };
  each("form[data-keep]", (form) => {
    const key = form.dataset.keep, kept = store.get(key);
    const blank = !document.querySelector(".fault") && !form.querySelector("[name=retest]") && !location.search;
    if (kept && blank) texts(form).forEach((one) => {
      if (!(one.name in kept)) return;
      if (one.type === "radio" || one.type === "checkbox") one.checked = kept[one.name].includes(one.value);
      else one.value = kept[one.name][0];
    });
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
  // Send by hand, so that a lost connection is waited for. The ticket in the form keeps an act from being done twice.
  async function send(event, form, key) {
    event.preventDefault();
    const content = new FormData(form, event.submitter);
    each("button", (one) => { one.disabled = true; });
    for (let turn = 0; ; turn += 1) {
      try {
        const answer = await fetch(form.action, { method: "POST", body: content });
        lost.hidden = true;
        const page = await answer.text();
        if (answer.redirected) { store.drop(key); location.assign(answer.url); return; }
        document.open(); document.write(page); document.close();
        return;
      } catch {
        lost.hidden = false; lost.textContent = body.dataset.lost;
        await pause(Math.min(5, 1 + turn));
      }
    }
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
