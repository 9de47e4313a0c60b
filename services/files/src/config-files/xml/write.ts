import type { XmlElement } from '@rgrove/parse-xml';
import { RewriteError } from '../rewrite-error.js';
import { lineEndOf } from '../text.js';
import { splice } from '../tree/node.js';
import { elementsOf, endOfTag } from './document.js';
import type { XmlStep } from './path.js';

export interface XmlValue {
  readonly attribute: string | null;
  readonly text: string;
}

/** Throws RewriteError when it has child elements. */
export function setText(text: string, element: XmlElement, value: string): string {
  if (elementsOf(element).length > 0) throw new RewriteError('there are elements at this place');
  const open = endOfTag(text, element.start);
  const isClosed = text[open - 2] === '/';
  if (!isClosed) return splice(text, open, text.lastIndexOf('</', element.end - 1), escapeText(value));
  const tag = text.slice(element.start, open - 2).trimEnd();
  return splice(text, element.start, element.end, `${tag}>${escapeText(value)}</${element.name}>`);
}

/** Keeps existing quotes. */
export function setAttribute(text: string, element: XmlElement, name: string, value: string): string {
  const open = endOfTag(text, element.start);
  const tag = text.slice(element.start, open);
  for (const match of tag.matchAll(/([^\s=/<>"']+)\s*=\s*(?:"[^"]*"|'[^']*')/g)) {
    const [whole, found] = match;
    if (found !== name) continue;
    const end = element.start + match.index + whole.length;
    const quote = whole.at(-1) ?? '"';
    const start = element.start + match.index + whole.indexOf(quote);
    return splice(text, start, end, quote + escapeAttribute(value, quote) + quote);
  }
  const at = element.start + tag.replace(/\s*\/?>$/, '').length;
  return splice(text, at, at, ` ${name}="${escapeAttribute(value, '"')}"`);
}

/** As the last child. */
export function addChild(text: string, parent: XmlElement, path: readonly XmlStep[], value: XmlValue): string {
  const lineEnd = lineEndOf(text);
  const unit = /\n([ \t]+)</.exec(text)?.[1] ?? '  ';
  const last = elementsOf(parent).at(-1);
  const outer = indentAt(text, parent.start);
  const indent = last ? indentAt(text, last.start) : outer + unit;
  const lines = written(path, value, indent, unit, lineEnd);
  if (last) return splice(text, last.end, last.end, lineEnd + lines);
  const open = endOfTag(text, parent.start);
  const isClosed = text[open - 2] === '/';
  const start = isClosed ? text.slice(0, open - 2).trimEnd().length : open;
  const inner = isClosed ? '' : text.slice(open, text.lastIndexOf('</', parent.end - 1)).trimEnd();
  const made = `${isClosed ? '>' : ''}${inner}${lineEnd}${lines}${lineEnd}${outer}</${parent.name}>`;
  return splice(text, start, parent.end, made);
}

export function newDocument(path: readonly XmlStep[], value: XmlValue): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${written(path, value, '', '  ', '\n')}\n`;
}

function written(path: readonly XmlStep[], value: XmlValue, indent: string, unit: string, lineEnd: string): string {
  const [step, ...rest] = path;
  if (!step) throw new RewriteError('this is no path to an element');
  const attributes = new Map<string, string>();
  if (step.attribute) attributes.set(step.attribute.name, step.attribute.value);
  if (rest.length === 0 && value.attribute !== null) attributes.set(value.attribute, value.text);
  const tag = [step.name, ...[...attributes].map(([name, text]) => `${name}="${escapeAttribute(text, '"')}"`)].join(
    ' ',
  );
  if (rest.length > 0) {
    const inner = written(rest, value, indent + unit, unit, lineEnd);
    return `${indent}<${tag}>${lineEnd}${inner}${lineEnd}${indent}</${step.name}>`;
  }
  if (value.attribute !== null) return `${indent}<${tag}/>`;
  return `${indent}<${tag}>${escapeText(value.text)}</${step.name}>`;
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&apos;'],
]);

function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, entity);
}

/** Readers turn line breaks and tabs in attributes into spaces. */
function escapeAttribute(text: string, quote: string): string {
  return text.replace(/[&<>\r\n\t"']/g, (character) =>
    '"\''.includes(character) && character !== quote ? character : entity(character),
  );
}

function entity(character: string): string {
  return entities.get(character) ?? `&#${character.charCodeAt(0)};`;
}
