import { maxDepth } from '../limits.js';
import { RewriteError } from '../rewrite-error.js';

/** `*`: any name; `attribute` must match. */
export interface XmlStep {
  readonly name: string;
  readonly attribute: { readonly name: string; readonly value: string } | null;
}

const parts = /(?:[^.[\]]|\[[^\]]*\])+/g;
const step = /^(\*|[A-Za-z_][\w:-]*)(?:\[@([A-Za-z_][\w:-]*)=(?:'([^']*)'|"([^"]*)")\])?$/;

/** Like "Root.element", "Root.*.element" or "Root.property[@name='ServerPort']". */
export function parseXmlPath(text: string): XmlStep[] {
  const found = text.match(parts) ?? [];
  if (found.length > maxDepth) throw new RewriteError(`this path has more than ${maxDepth} steps`);
  if (found.join('.') !== text) throw new RewriteError('this is no path to an element');
  return found.map((part) => {
    const [, name, attribute, single, double] = step.exec(part) ?? [];
    if (name === undefined) throw new RewriteError('this is no path to an element');
    return { name, attribute: attribute === undefined ? null : { name: attribute, value: single ?? double ?? '' } };
  });
}
