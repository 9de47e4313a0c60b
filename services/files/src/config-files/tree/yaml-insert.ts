import { RewriteError } from '../rewrite-error.js';
import { lineEndOf } from '../text.js';
import { type Literal, type Node, type PlainStep, splice } from './node.js';
import type { YamlNode } from './yaml-node.js';
import { writeLiteral, writeText } from './yaml-scalar.js';

export function insertYaml(text: string, container: Node, path: readonly PlainStep[], literal: Literal): string {
  const node = container as YamlNode;
  const last = lastChild(node);
  if (!last) return fill(text, node, path, literal);
  if (node.isFlow) {
    const [step, ...rest] = path;
    const name = node.kind === 'map' && step && 'key' in step ? `${writeText(step.key)}: ` : '';
    return splice(text, last.end, last.end, `, ${name}${flow(rest, literal)}`);
  }
  const column = node.start - text.lastIndexOf('\n', node.start - 1) - 1;
  const below = node.kind === 'list' ? [{ index: 0 }, ...path.slice(1)] : path;
  return addLines(text, endOf(last), block(below, literal, ' '.repeat(column)));
}

function lastChild(node: Node): Node | undefined {
  if (node.kind === 'map') return node.entries.at(-1)?.node;
  return node.kind === 'list' ? node.items.at(-1) : undefined;
}

/** Of the last scalar: a block's own end includes trailing comments. */
function endOf(node: YamlNode | Node): number {
  const last = 'isFlow' in node && node.isFlow ? undefined : lastChild(node);
  return last ? endOf(last) : node.end;
}

function fill(text: string, node: YamlNode, path: readonly PlainStep[], literal: Literal): string {
  const isDocument = node.start === text.length && node.outerColumn === -1;
  if (isDocument) return addLines(text, text.length, block(path, literal, ''));
  const isNothing = node.kind === 'scalar' && !node.isFlow && node.outerColumn >= 0;
  if (!isNothing) {
    const space = node.start === node.end ? ' ' : '';
    return splice(text, node.start, node.end, space + flow(path, literal));
  }
  const rest = text.slice(node.end);
  const head = text.slice(0, node.start);
  // keep the space only before a comment
  const before = /^(?:\r?\n|$)/.test(rest) ? head.trimEnd() : head;
  return addLines(before + rest, before.length, block(path, literal, ' '.repeat(node.outerColumn + 2)));
}

/** At `offset` if it starts a line, else after its line. */
function addLines(text: string, offset: number, lines: readonly string[]): string {
  const lineEnd = lineEndOf(text);
  if (offset === 0 || text[offset - 1] === '\n') {
    return splice(text, offset, offset, lines.map((line) => line + lineEnd).join(''));
  }
  const feed = text.indexOf('\n', offset);
  if (feed === -1) return text + lines.map((line) => lineEnd + line).join('') + lineEnd;
  const at = text[feed - 1] === '\r' ? feed - 1 : feed;
  return splice(text, at, at, lines.map((line) => lineEnd + line).join(''));
}

function block(path: readonly PlainStep[], literal: Literal, indent: string): string[] {
  const [step, ...rest] = path;
  if (!step) throw new RewriteError('this cannot be written here');
  const head = 'key' in step ? `${indent}${writeText(step.key)}:` : `${indent}-`;
  if (rest.length === 0) return [`${head} ${writeLiteral(literal)}`];
  const inner = block(rest, literal, `${indent}  `);
  const [first = '', ...others] = inner;
  // an item starts on its dash's line
  return 'key' in step ? [head, ...inner] : [`${head} ${first.trimStart()}`, ...others];
}

function flow(path: readonly PlainStep[], literal: Literal): string {
  const [step, ...rest] = path;
  if (!step) return writeLiteral(literal);
  const inner = flow(rest, literal);
  return 'key' in step ? `{${writeText(step.key)}: ${inner}}` : `[${inner}]`;
}
