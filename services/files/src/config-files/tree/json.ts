import { createScanner, type Node as JsonNode, type ParseError, parseTree } from 'jsonc-parser';
import { maxDepth } from '../limits.js';
import { RewriteError } from '../rewrite-error.js';
import { lineEndOf } from '../text.js';
import { type Literal, type Node, type PlainStep, splice, type TreeFormat } from './node.js';

/** JSON with comments and trailing commas. */
export const json: TreeFormat = {
  parse: (text) => {
    checkDepth(text);
    const errors: ParseError[] = [];
    const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const [error] = errors;
    if (error) throw new RewriteError(`it is not valid JSON (line ${lineOf(text, error.offset)})`);
    if (root) return toNode(text, root);
    return { kind: 'scalar', type: 'null', text: undefined, start: text.length, end: text.length };
  },
  print: (_text, _old, literal) => write(literal),
  insert: (text, container, path, literal) => {
    const whole = container.end > container.start ? text.slice(container.start, container.end) : '';
    const first = firstChild(container);
    const layout = { lineEnd: lineEndOf(text), unit: unitOf(text), indent: indentAt(text, container.start) };
    if (!first) {
      const made = nested(path, literal, layout);
      // a formerly empty document gets a line end
      return splice(text, container.start, container.end, whole === '' ? made + layout.lineEnd : made);
    }
    return append(text, container, path, literal, layout);
  },
};

interface Layout {
  readonly lineEnd: string;
  readonly unit: string;
  /** Of the container's first line. */
  readonly indent: string;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Protects the recursive parser. */
function checkDepth(text: string): void {
  const scanner = createScanner(text, true);
  let depth = 0;
  // only the end of input has no length
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const token = scanner.getTokenLength() === 1 ? text[scanner.getTokenOffset()] : '';
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > maxDepth) throw new RewriteError('it is nested too deeply');
  }
}

function toNode(text: string, { type, offset, length, value, children = [] }: JsonNode): Node {
  const place = { start: offset, end: offset + length };
  switch (type) {
    case 'object':
      return { ...place, kind: 'map', entries: children.flatMap((property) => entriesOf(text, property)) };
    case 'array':
      return { ...place, kind: 'list', items: children.map((item) => toNode(text, item)) };
    case 'string':
      return { ...place, kind: 'scalar', type: 'string', text: String(value) };
    case 'number':
      return { ...place, kind: 'scalar', type: 'number', text: text.slice(offset, offset + length) };
    case 'boolean':
      return { ...place, kind: 'scalar', type: 'bool', text: String(value) };
    default:
      return { ...place, kind: 'scalar', type: 'null', text: undefined };
  }
}

function entriesOf(text: string, property: JsonNode): { key: string; node: Node }[] {
  const [key, value] = property.children ?? [];
  return key && value ? [{ key: String(key.value), node: toNode(text, value) }] : [];
}

function write({ type, text }: Literal): string {
  return type === 'string' ? JSON.stringify(text) : text;
}

function nested(path: readonly PlainStep[], literal: Literal, layout: Layout): string {
  const [step, ...rest] = path;
  if (step === undefined) return write(literal);
  const inner = layout.indent + layout.unit;
  const value = nested(rest, literal, { ...layout, indent: inner });
  const [open, close] = 'key' in step ? [`{`, '}'] : ['[', ']'];
  const name = 'key' in step ? `${JSON.stringify(step.key)}: ` : '';
  return `${open}${layout.lineEnd}${inner}${name}${value}${layout.lineEnd}${layout.indent}${close}`;
}

/** On a line of its own if the first child is. */
function append(text: string, container: Node, path: readonly PlainStep[], literal: Literal, layout: Layout): string {
  const [step, ...rest] = path;
  const last = childrenOf(container).at(-1);
  const first = firstChild(container);
  if (!last || !first || !step) throw new RewriteError('this cannot be written here');
  const isMultiLine = text.slice(container.start, first.start).includes('\n');
  const indent = isMultiLine ? indentAt(text, first.start) : layout.indent;
  const name = container.kind === 'map' && 'key' in step ? `${JSON.stringify(step.key)}: ` : '';
  const value = nested(rest, literal, { ...layout, indent });
  const made = `${isMultiLine ? layout.lineEnd + indent : ' '}${name}${value}`;
  return splice(text, last.end, last.end, `,${made}`);
}

function childrenOf(container: Node): readonly Node[] {
  if (container.kind === 'map') return container.entries.map((entry) => entry.node);
  return container.kind === 'list' ? container.items : [];
}

function firstChild(container: Node): Node | undefined {
  return childrenOf(container)[0];
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The first indentation of the text, or two spaces. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}
