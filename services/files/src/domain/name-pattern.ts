/** Part of a name, or with `*` or `?` the whole, case-insensitive. Time at most name × pattern. */
export function createNameMatcher(pattern: string): (name: string) => boolean {
  const wanted = pattern.toLowerCase();
  if (!/[*?]/.test(wanted)) return (name) => name.toLowerCase().includes(wanted);
  return (name) => matchesGlob(name.toLowerCase(), wanted);
}

/** Greedy; backtracks to the last `*` only. */
function matchesGlob(text: string, glob: string): boolean {
  let [at, from] = [0, 0];
  let star = -1;
  let resumeAt = 0;
  while (at < text.length) {
    if (glob[from] === '*') {
      star = from;
      resumeAt = at;
      from += 1;
    } else if (from < glob.length && (glob[from] === '?' || glob[from] === text[at])) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      resumeAt += 1;
      at = resumeAt;
      from = star + 1;
    } else return false;
  }
  while (glob[from] === '*') from += 1;
  return from === glob.length;
}
