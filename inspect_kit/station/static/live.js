// The live camera over the mat: the station says how to hold it, and the photo takes itself. Without it the file field does.
"use strict";
(() => {
  const ACROSS = 960, PAUSE = 500, RUNNING = 3, MOVED = 0.02, PATIENCE = 4000;
  const open = document.getElementById("live"), panel = document.getElementById("aiming"), photo = document.getElementById("photo");
  if (!open || !panel || !photo || !window.isSecureContext || !navigator.mediaDevices || !navigator.mediaDevices.getUserMedia) return;
  const video = panel.querySelector("video"), drawing = panel.querySelector("canvas"), say = panel.querySelector(".say");
  const reference = document.getElementById("reference"), frame = document.createElement("canvas");
  let stream = null, turn = 0;

  // Only the printed mat can be aimed at.
  const offered = () => { open.hidden = Boolean(stream) || Boolean(reference && reference.value); };
  const said = (text) => { if (say.textContent !== text) say.textContent = text; };
  const close = () => {
    turn += 1;
    if (stream) stream.getTracks().forEach((track) => track.stop());
    stream = null; video.srcObject = null; panel.hidden = true; offered();
  };
  const picture = (canvas, across, quality) => {
    const share = Math.min(1, across / Math.max(video.videoWidth, video.videoHeight));
    canvas.width = Math.round(video.videoWidth * share); canvas.height = Math.round(video.videoHeight * share);
    canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
  };

  const draw = (outline, good) => {
    drawing.width = drawing.clientWidth; drawing.height = drawing.clientHeight;
    if (!outline.length) return;
    // The video keeps its form inside the panel, so that there may be black beside it.
    const scale = Math.min(drawing.width / video.videoWidth, drawing.height / video.videoHeight), pen = drawing.getContext("2d");
    const across = video.videoWidth * scale, down = video.videoHeight * scale;
    pen.lineWidth = 4; pen.strokeStyle = good ? "#27d07a" : "#ffb020"; pen.beginPath();
    outline.forEach(([x, y]) => pen.lineTo((drawing.width - across) / 2 + x * across, (drawing.height - down) / 2 + y * down));
    pen.closePath(); pen.stroke();
  };
  const moved = (now, before) => !before.length || now.some(([x, y], at) => Math.hypot(x - before[at][0], y - before[at][1]) > MOVED);
  const asked = async () => {
    const content = new FormData();
    content.append("frame", await picture(frame, ACROSS, 0.8), "frame.jpg");
    const answer = await fetch(open.dataset.url, { method: "POST", headers: { "X-CSRF-Token": document.body.dataset.csrf }, body: content });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  };

  // The camera's own photo is sharper than its video; some never give one, and then the video's picture is taken.
  const still = async () => {
    const late = new Promise((_, fail) => setTimeout(() => fail(new Error("late")), PATIENCE));
    try { return await Promise.race([new ImageCapture(stream.getVideoTracks()[0]).takePhoto(), late]); } catch { return picture(document.createElement("canvas"), Infinity, 0.95); }
  };
  const shoot = async () => {
    if (!stream || !video.videoWidth) return;
    const mine = ++turn;
    said(panel.dataset.taking);
    const taken = await still();
    if (mine !== turn || !taken) return;
    const files = new DataTransfer();
    files.items.add(new File([taken], "camera.jpg", { type: taken.type || "image/jpeg" }));
    close(); photo.files = files.files; photo.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const watch = async (mine) => {
    let good = 0, before = [];
    while (mine === turn) {
      const began = Date.now();
      try {
        const told = await asked();
        if (mine !== turn) return;
        if (told.aim !== "busy") {
          const fits = told.aim === "good", stirred = fits && moved(told.outline, before);
          good = fits ? (stirred ? 1 : good + 1) : 0;
          said(stirred && before.length ? panel.dataset.still : told.say); draw(told.outline, fits); panel.dataset.aim = told.aim;
          before = told.outline;
        }
      } catch { if (mine !== turn) return; good = 0; said(panel.dataset.lost); }
      if (good >= RUNNING) { await shoot(); return; }
      await new Promise((go) => setTimeout(go, Math.max(50, PAUSE - (Date.now() - began))));
    }
  };
  open.addEventListener("click", async () => {
    const mine = ++turn;
    open.hidden = true; panel.hidden = false; said(panel.dataset.starting); draw([], false);
    try {
      const wanted = { facingMode: { ideal: "environment" }, width: { ideal: 3840 }, height: { ideal: 2160 } };
      const given = await navigator.mediaDevices.getUserMedia({ video: wanted, audio: false });
      if (mine !== turn) { given.getTracks().forEach((track) => track.stop()); return; }
      stream = given; video.srcObject = stream; await video.play();
      panel.scrollIntoView({ block: "center" });
      watch(mine);
    } catch {
      if (mine !== turn) return;
      close(); document.getElementById("photofault").textContent = panel.dataset.refused;
    }
  });
  panel.querySelector("[data-shoot]").addEventListener("click", shoot);
  panel.querySelector("[data-close]").addEventListener("click", () => { close(); open.focus(); });
  document.addEventListener("visibilitychange", () => { if (document.hidden && stream) close(); });
  window.addEventListener("pagehide", close);
  if (reference) reference.addEventListener("change", () => { if (reference.value) close(); offered(); });
  offered();
})();
