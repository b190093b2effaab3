// One line of progress: redrawn with a spinner on a terminal, a plain line now and then elsewhere.

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

export function startProgress(text, { stream = process.stderr, plainEveryMs = 5000 } = {}) {
  const startedAt = performance.now();
  const seconds = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  const live = stream.isTTY === true;
  let current = text;
  let frame = 0;
  const draw = () => {
    const line = live ? `${frames[frame++ % frames.length]} ${current} (${seconds()})` : `${current} (${seconds()})`;
    stream.write(live ? `\r\x1b[2K${line.slice(0, Math.max(20, (stream.columns || 80) - 1))}` : `${line}\n`);
  };
  if (live) draw();
  else stream.write(`${current}\n`);
  const timer = setInterval(draw, live ? 100 : plainEveryMs);
  timer.unref();
  const end = (mark, last) => {
    clearInterval(timer);
    stream.write(live ? `\r\x1b[2K${mark} ${last} (${seconds()})\n` : `${last} (${seconds()})\n`);
  };
  return {
    update(next) {
      current = next;
    },
    done: (last) => end("✓", last),
    fail: (last) => end("✗", last),
  };
}
