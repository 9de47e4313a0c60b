const maxBytes = 8 * 1024 * 1024;
const notice = Buffer.from('\n[the output is longer than 8 MiB: the rest is left out]\n');

/** Bounds the output to 8 MiB and a notice, because an endless printer must not fill the panel's log. */
export function boundOutput(onOutput: (chunk: Buffer) => void): (chunk: Buffer) => void {
  let left = maxBytes;
  return (chunk) => {
    if (left <= 0) return;
    onOutput(chunk.length <= left ? chunk : chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) onOutput(notice);
  };
}
