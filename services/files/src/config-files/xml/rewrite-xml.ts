import type { XmlElement } from '@rgrove/parse-xml';
import { nextValue } from '../condition.js';
import { eachReplacement } from '../each.js';
import type { Warnings, Replacement } from '../../domain/config-file.js';
import { RewriteError } from '../rewrite-error.js';
import { elementsAt, parseRootElement, textOf } from './document.js';
import { parseXmlPath, type XmlStep } from './path.js';
import { addChild, newDocument, setAttribute, setText, type XmlValue } from './write.js';

const attributeValue = /^\[([A-Za-z_][\w:.-]*)='([\s\S]*)'\]$/;

/**
 * Parser `xml`: sets text or, with "[name='text']", an attribute. Creates missing elements without wildcards. Edits
 * only differing text and parses each change back. Throws RewriteError for an invalid original.
 */
export function rewriteXml(text: string, replacements: readonly Replacement[], warnings: Warnings): string {
  let document = text;
  if (document.trim() !== '') parseRootElement(document);
  eachReplacement(replacements, warnings, (replacement) => {
    document = apply(document, replacement);
  });
  return document;
}

function apply(text: string, replacement: Replacement): string {
  const path = parseXmlPath(replacement.key);
  const [, attribute = null, inner] = attributeValue.exec(replacement.value.text) ?? [];
  const plain = { ...replacement, value: { ...replacement.value, text: inner ?? replacement.value.text } };
  const root = text.trim() === '' ? null : parseRootElement(text);
  const found = root ? elementsAt(root, path) : [];
  if (found.length === 0) {
    if (replacement.condition || path.some((step) => step.name === '*')) return text;
    const value = { attribute, text: plain.value.text };
    return checked(root ? create(text, root, path, value) : newDocument(path, value), path, [value]);
  }
  const wanted = found.map((element) => wantedOf(element, plain, attribute));
  let next = text;
  // backwards, to keep offsets valid
  for (const [at, element] of [...found.entries()].toReversed()) {
    const value = wanted[at];
    if (!value || current(element, attribute) === value.text) continue;
    next = attribute === null ? setText(next, element, value.text) : setAttribute(next, element, attribute, value.text);
  }
  return next === text ? text : checked(next, path, wanted);
}

function wantedOf(element: XmlElement, replacement: Replacement, attribute: string | null): XmlValue | null {
  const value = nextValue(current(element, attribute), replacement);
  return value && { attribute, text: value.text };
}

function current(element: XmlElement, attribute: string | null): string | undefined {
  return attribute === null ? textOf(element) : element.attributes[attribute];
}

function create(text: string, root: XmlElement, path: readonly XmlStep[], value: XmlValue): string {
  for (let length = path.length - 1; length > 0; length -= 1) {
    const [parent] = elementsAt(root, path.slice(0, length));
    if (parent) return addChild(text, parent, path.slice(length), value);
  }
  throw new RewriteError(`the root of the document is ${root.name}`);
}

function checked(text: string, path: readonly XmlStep[], wanted: readonly (XmlValue | null)[]): string {
  const found = readBack(text, path);
  const isRight =
    found.length === wanted.length &&
    found.every((element, at) => {
      const value = wanted[at];
      return !value || current(element, value.attribute) === value.text;
    });
  if (!isRight) throw new RewriteError('this cannot be written here');
  return text;
}

function readBack(text: string, path: readonly XmlStep[]): XmlElement[] {
  try {
    return elementsAt(parseRootElement(text), path);
  } catch (error) {
    if (error instanceof RewriteError) throw new RewriteError('this cannot be written here', { cause: error });
    throw error;
  }
}
