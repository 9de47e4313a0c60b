/**
 * Matched by byte like git (gitignore(5), `wildmatch.c`), in bounded time. Paths are relative latin1, which keeps every
 * byte.
 */
interface IgnoreRules {
  /** Includes directories above. */
  ignores(path: string, isDirectory: boolean): boolean;
}

type Token = string | ReadonlySet<string> | typeof star;
/** `**`: any number of names. */
type Segment = readonly Token[] | typeof globstar;

const star = Symbol('*');
const globstar = Symbol('**');
const slash = Symbol('/');

interface Rule {
  readonly isNegated: boolean;
  readonly isForDirectories: boolean;
  /** Null: matches only the last name. */
  readonly segments: readonly Segment[] | null;
  readonly name: readonly Token[];
}

const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
const anyByte: ReadonlySet<string> = new Set(bytes);
const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // eslint-disable-next-line no-control-regex
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /\d/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** Later rules win; skips comments, blanks and invalid patterns. */
export function createIgnoreRules(patterns: readonly string[]): IgnoreRules {
  const rules = patterns.map(parseRule).filter((rule) => rule !== null);
  /** Caches the parent: siblings follow each other. */
  let last = { parent: '', isIgnored: false };
  const ignores = (path: string, isDirectory: boolean): boolean => {
    if (path === '') return false;
    const names = path.split('/');
    const parent = names.slice(0, -1).join('/');
    if (last.parent !== parent) last = { parent, isIgnored: ignores(parent, true) };
    if (last.isIgnored) return true;
    const found = rules.findLast((rule) => (isDirectory || !rule.isForDirectories) && matches(rule, names));
    return found !== undefined && !found.isNegated;
  };
  return { ignores: rules.length === 0 ? () => false : ignores };
}

function matches({ segments, name }: Rule, names: readonly string[]): boolean {
  if (!segments) return matchName(name, names.at(-1) ?? '');
  return matchAll(segments, names, globstar, (segment, one) => segment !== globstar && matchName(segment, one));
}

function matchName(tokens: readonly Token[], name: string): boolean {
  return matchAll(tokens, name, star, (token, byte) =>
    typeof token === 'string' ? token === byte : token !== star && token.has(byte),
  );
}

/** Backtracks only to the last wildcard, which bounds the time. */
function matchAll<P, T>(
  pattern: ArrayLike<P>,
  text: ArrayLike<T>,
  wild: P,
  isMatch: (piece: P, one: T) => boolean,
): boolean {
  let at = 0;
  let retry: { readonly pattern: number; text: number } | null = null;
  for (let i = 0; i < text.length;) {
    const piece = pattern[at];
    if (at < pattern.length && piece === wild) {
      at += 1;
      retry = { pattern: at, text: i };
    } else if (at < pattern.length && isMatch(piece as P, text[i] as T)) {
      at += 1;
      i += 1;
    } else if (retry) {
      retry.text += 1;
      [at, i] = [retry.pattern, retry.text];
    } else {
      return false;
    }
  }
  while (at < pattern.length && pattern[at] === wild) at += 1;
  return at === pattern.length;
}

/** Null when it matches nothing. */
function parseRule(line: string): Rule | null {
  if (line.startsWith('#')) return null;
  let text = withoutTrailingSpaces(Buffer.from(line).toString('latin1'));
  const isNegated = text.startsWith('!');
  if (isNegated) text = text.slice(1);
  const isForDirectories = text.endsWith('/');
  if (isForDirectories) text = text.slice(0, -1);
  const isPath = text.includes('/');
  const tokens = text === '' ? null : tokensOf(text);
  if (!tokens) return null;
  const segments = segmentsOf(tokens[0] === slash ? tokens.slice(1) : tokens);
  const [first] = segments;
  const name: readonly Token[] = first === undefined || first === globstar ? [star] : first;
  return { isNegated, isForDirectories, name, segments: isPath ? segments : null };
}

function withoutTrailingSpaces(text: string): string {
  // keeps an escaped space
  return /^(?:\\[^]|[^\\ ]| +(?=[^ ]))*\\?/.exec(text)?.[0] ?? '';
}

/** Null for an unterminated set or escape. */
function tokensOf(text: string): (Token | typeof slash)[] | null {
  const tokens: (Token | typeof slash)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '[') {
      const set = parseSet(text, at + 1);
      if (!set) return null;
      tokens.push(set.members);
      at = set.end;
    } else if (char === '\\') {
      at += 1;
      if (at === text.length) return null;
      tokens.push(text.charAt(at) === '/' ? slash : text.charAt(at));
    } else {
      tokens.push(char === '*' ? star : char === '?' ? anyByte : char === '/' ? slash : char);
    }
  }
  return tokens;
}

function segmentsOf(tokens: readonly (Token | typeof slash)[]): Segment[] {
  const segments: Token[][] = [[]];
  for (const token of tokens) {
    if (token === slash) segments.push([]);
    else segments.at(-1)?.push(token);
  }
  return segments.flatMap((segment, i): Segment[] => {
    if (segment.length < 2 || !segment.every((token) => token === star)) return [segment];
    // a trailing `**` excludes the directory itself
    return i === segments.length - 1 ? [[star], globstar] : [globstar];
  });
}

/** `end`: the closing bracket. */
function parseSet(text: string, start: number): { readonly members: ReadonlySet<string>; readonly end: number } | null {
  const isNegated = /[!^]/.test(text.charAt(start));
  const from = isNegated ? start + 1 : start;
  const members = new Set<string>();
  let previous = '';
  for (let at = from; at < text.length; at += 1) {
    let char = text.charAt(at);
    if (char === ']' && at > from) {
      return { members: isNegated ? new Set(bytes.filter((byte) => !members.has(byte))) : members, end: at };
    }
    const named = /^\[:([^\]]*):\]/.exec(text.slice(at));
    if (named) {
      const isMember = classes[named[1] ?? ''];
      if (!isMember) return null;
      for (const byte of bytes) if (isMember.test(byte)) members.add(byte);
      at += named[0].length - 1;
      previous = '';
      continue;
    }
    const isRange = char === '-' && previous !== '' && at + 1 < text.length && text.charAt(at + 1) !== ']';
    if (isRange) char = text.charAt((at += 1));
    if (char === '\\') char = text.charAt((at += 1));
    for (const byte of bytes) if (byte <= char && byte >= (isRange ? previous : char)) members.add(byte);
    previous = isRange ? '' : char;
  }
  return null;
}
