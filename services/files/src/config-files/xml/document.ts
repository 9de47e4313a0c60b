import { parseXml, type XmlDocument, XmlElement, XmlError, XmlText } from '@rgrove/parse-xml';
import { maxDepth } from '../limits.js';
import { RewriteError } from '../rewrite-error.js';
import type { XmlStep } from './path.js';

/** Keeps undefined entities. Throws RewriteError for invalid XML. */
export function parseRootElement(text: string): XmlElement {
  checkDepth(text);
  const { root } = parse(text);
  if (!root) throw new RewriteError('it has no element');
  return root;
}

function parse(text: string): XmlDocument {
  try {
    return parseXml(text, { includeOffsets: true, ignoreUndefinedEntities: true, preserveCdata: false });
  } catch (error) {
    if (error instanceof XmlError) throw new RewriteError(`it is not valid XML (line ${error.line})`, { cause: error });
    throw error;
  }
}

/** Protects the recursive parser, which checks tags in comments. */
function checkDepth(text: string): void {
  let depth = 0;
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    const skipped = skippedAt(text, at);
    if (skipped === -1) return;
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const end = endOfTag(text, at);
    if (text[at + 1] === '/') depth -= 1;
    else if (text[end - 2] !== '/') depth += 1;
    if (depth > maxDepth) throw new RewriteError('it is nested too deeply');
    at = end - 1;
  }
}

const sections = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
] as const;

/** `at` for a tag, -1 if unterminated. */
function skippedAt(text: string, at: number): number {
  const section = sections.find(([open]) => text.startsWith(open, at));
  return section ? text.indexOf(section[1], at + section[0].length) : at;
}

/** Index after the tag's `>`. */
export function endOfTag(text: string, start: number): number {
  let quote = '';
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at + 1;
  }
  return text.length;
}

export function elementsOf(parent: XmlElement): XmlElement[] {
  return parent.children.filter((child) => child instanceof XmlElement);
}

/** Direct text. */
export function textOf(element: XmlElement): string {
  return element.children.map((child) => (child instanceof XmlText ? child.text : '')).join('');
}

function fits(element: XmlElement, { name, attribute }: XmlStep): boolean {
  if (name !== '*' && element.name !== name) return false;
  return attribute === null || element.attributes[attribute.name] === attribute.value;
}

/** The path starts with the root. */
export function elementsAt(root: XmlElement, [first, ...rest]: readonly XmlStep[]): XmlElement[] {
  if (!first || !fits(root, first)) return [];
  return rest.reduce<XmlElement[]>(
    (found, step) => found.flatMap((parent) => elementsOf(parent).filter((child) => fits(child, step))),
    [root],
  );
}
