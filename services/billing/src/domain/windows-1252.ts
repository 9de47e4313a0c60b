const decoder = new TextDecoder('windows-1252');

/** Control characters are left out. */
const byteOf: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte] as const).filter(
    ([character]) => !/\p{Cc}/u.test(character),
  ),
);

/** Other letters lose their marks, other characters become `?`, controls spaces. */
export function toWindows1252(text: string): string {
  return text.normalize('NFC').replaceAll(/./gsu, nearest);
}

function nearest(character: string): string {
  if (byteOf.has(character)) return character;
  if (/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]/u.test(character)) return ' ';
  const plain = character.normalize('NFD').replaceAll(/\p{M}/gu, '');
  return byteOf.has(plain) ? plain : '?';
}

/** Of what `toWindows1252` returns, and line ends. */
export function encodeWindows1252(text: string): Buffer {
  return Buffer.from(Array.from(text, (character) => byteOf.get(character) ?? character.charCodeAt(0) % 256));
}
