/** Then the name gets the time. */
const maxNumber = 50;
const maxNameBytes = 255;

/** In order: "name copy.ext", "name copy 2.ext" …, then one with the time. */
export function* copyNames(name: string, now: Date): Generator<string> {
  const { stem, extension } = splitName(name);
  const named = (suffix: string) => fitted(stem, `${suffix}${extension}`);
  yield named(' copy');
  for (let number = 2; number <= maxNumber; number += 1) yield named(` copy ${number}`);
  yield named(` copy ${now.toISOString().replace(/[:.]/g, '-')}`);
}

/** ".tar.gz" etc. is one extension; a leading dot is none. */
function splitName(name: string): { stem: string; extension: string } {
  const match = /^(.+?)(\.tar\.[^.]+|\.[^.]+)$/s.exec(name);
  return { stem: match?.[1] ?? name, extension: match?.[2] ?? '' };
}

function fitted(stem: string, rest: string): string {
  const characters = Array.from(stem);
  while (Buffer.byteLength(characters.join('') + rest) > maxNameBytes && characters.length > 1) characters.pop();
  return characters.join('') + rest;
}
