import { parseXml, type XmlDocument, XmlElement, XmlError, XmlText } from '@rgrove/parse-xml';
import { maxDepth } from '../limits.js';
import { RewriteError } from '../rewrite-error.js';
import type { XmlStep } from './path.js';

/** The root of a document. Entities of its own are not known to us and stay as they are. Throws RewriteError when it is broken. */
export function parseRoot(text: string): XmlElement {
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

/** The parser recurses; this does not. What it takes for a tag in a comment is told apart by the parser afterwards. */
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

/** The end of what is no tag; `at` itself when it is one, -1 when it never ends. */
function skippedAt(text: string, at: number): number {
  const section = sections.find(([open]) => text.startsWith(open, at));
  return section ? text.indexOf(section[1], at + section[0].length) : at;
}

/** Behind the `>` of the tag that begins at `start`. */
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

/** The text right in an element. */
export function textOf(element: XmlElement): string {
  return element.children.map((child) => (child instanceof XmlText ? child.text : '')).join('');
}

export function fits(element: XmlElement, { name, attribute }: XmlStep): boolean {
  if (name !== '*' && element.name !== name) return false;
  return attribute === null || element.attributes[attribute.name] === attribute.value;
}

/** All elements at a path, the root being its first step. */
export function elementsAt(root: XmlElement, [first, ...rest]: readonly XmlStep[]): XmlElement[] {
  if (!first || !fits(root, first)) return [];
  return rest.reduce<XmlElement[]>(
    (found, step) => found.flatMap((parent) => elementsOf(parent).filter((child) => fits(child, step))),
    [root],
  );
}
