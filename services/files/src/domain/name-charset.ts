/** Of names without a statement of their charset, as archive programs wrote them. */
export type NameCharset = 'utf-8' | 'cp437' | 'shift_jis' | 'gbk';

/** The upper half of the IBM PC's. */
const cp437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** Null for bytes that mean nothing in it. */
export function decodeName(bytes: Buffer, charset: NameCharset): string | null {
  if (charset === 'cp437') {
    return bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => cp437[byte.charCodeAt(0) - 0x80] ?? byte);
  }
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The one of all of an archive's names. Never one that makes two names equal. */
export function detectCharset(names: readonly Buffer[]): NameCharset {
  const telling = distinct(names.filter((name) => name.some((byte) => byte >= 0x80)));
  if (decodeAll(telling, 'utf-8')) return 'utf-8';
  const [best] = (['shift_jis', 'gbk'] as const)
    .map((charset) => ({ charset, score: scoreOf(telling, charset) }))
    .toSorted((a, b) => b.score - a.score);
  return best && best.score > 0.5 ? best.charset : 'cp437';
}

function distinct(names: readonly Buffer[]): readonly Buffer[] {
  return [...new Map(names.map((name) => [name.toString('latin1'), name])).values()];
}

/** Null when it fails or makes two names one. */
function decodeAll(names: readonly Buffer[], charset: NameCharset): readonly string[] | null {
  const decoded = names.map((name) => decodeName(name, charset));
  return decoded.every((name) => name !== null) && new Set(decoded).size === names.length ? decoded : null;
}

/** Usual ones only: a wrong charset gives rare ones. */
const usual: Readonly<Record<'shift_jis' | 'gbk', RegExp>> = {
  // kana and punctuation
  shift_jis: /[\u3000-\u30ff\uff01-\uff5e]/u,
  // full-width letters and punctuation
  gbk: /[\u3000-\u3017\uff01-\uff5e]/u,
};
const letter = /[A-Za-z]/;

/** Share of characters beyond ASCII that are usual and stand in no Latin word. */
function scoreOf(names: readonly Buffer[], charset: 'shift_jis' | 'gbk'): number {
  const decoded = decodeAll(names, charset);
  if (!decoded) return 0;
  let [all, good] = [0, 0];
  for (const [i, name] of decoded.entries()) {
    const commonHanzi = commonCharacters(names[i] ?? Buffer.alloc(0), charset);
    const characters = Array.from(name);
    for (const [at, character] of characters.entries()) {
      if (character <= '\x7f') continue;
      all += 1;
      const isInWord = letter.test(characters[at - 1] ?? '') && letter.test(characters[at + 1] ?? '');
      if (!isInWord && (usual[charset].test(character) || commonHanzi.has(character))) good += 1;
    }
  }
  return good / all;
}

/** Of the first level of JIS X 0208 or GB 2312: half of the codes, nearly all of the use. */
function commonCharacters(name: Buffer, charset: 'shift_jis' | 'gbk'): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 0; at < name.length; at += 1) {
    const [lead = 0, trail = 0] = name.subarray(at, at + 2);
    const isPair = charset === 'gbk' ? lead >= 0x81 : (lead >= 0x81 && lead <= 0x9f) || lead >= 0xe0;
    if (!isPair) continue;
    const isCommon = charset === 'gbk' ? lead >= 0xb0 && lead <= 0xd7 && trail >= 0xa1 : lead >= 0x88 && lead <= 0x98;
    const character = isCommon ? decodeName(name.subarray(at, at + 2), charset) : null;
    if (character !== null) found.add(character);
    at += 1;
  }
  return found;
}
