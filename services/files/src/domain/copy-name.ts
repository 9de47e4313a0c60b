/** Numbered names tried before the time is put into the name. */
const maxNumber = 50;
const maxNameBytes = 255;

/** Names for a copy of a file, to be tried in this order: "name copy.ext", "name copy 2.ext" … then one with the time. */
export function* copyNames(name: string, now: Date): Generator<string> {
  const { stem, extension } = splitName(name);
  const named = (suffix: string) => fitted(stem, `${suffix}${extension}`);
  yield named(' copy');
  for (let number = 2; number <= maxNumber; number += 1) yield named(` copy ${number}`);
  yield named(` copy ${now.toISOString().replace(/[:.]/g, '-')}`);
}

/** ".tar.gz" and its like are one extension; a name that begins with its only dot has none. */
function splitName(name: string): { stem: string; extension: string } {
  const match = /^(.+?)(\.tar\.[^.]+|\.[^.]+)$/s.exec(name);
  return { stem: match?.[1] ?? name, extension: match?.[2] ?? '' };
}

/** Cut the stem, character by character, until the whole name is short enough. */
function fitted(stem: string, rest: string): string {
  const characters = Array.from(stem);
  while (Buffer.byteLength(characters.join('') + rest) > maxNameBytes && characters.length > 1) characters.pop();
  return characters.join('') + rest;
}
