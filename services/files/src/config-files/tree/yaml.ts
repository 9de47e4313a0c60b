import {
  type Alias,
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  parseDocument,
  Scalar,
  type ParsedNode,
} from 'yaml';
import { maxDepth } from '../limits.js';
import { RewriteError } from '../rewrite-error.js';
import type { ScalarNode, TreeFormat } from './node.js';
import { insertYaml } from './yaml-insert.js';
import type { YamlNode } from './yaml-node.js';
import { printYaml } from './yaml-scalar.js';

/** Each block level takes at least one column. */
const maxBlockColumn = 256;

/** Without merges, tags and aliases; first document only. */
export const yaml: TreeFormat<YamlNode> = {
  parse: (text) => {
    checkShape(text);
    // failsafe keeps scalars as text; the unique-key check is quadratic
    const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' });
    checkErrors(document);
    return rootOf(text, document);
  },
  print: printYaml,
  insert: insertYaml,
};

function checkErrors(document: Document.Parsed): void {
  const [error] = document.errors;
  if (!error) return;
  throw new RewriteError(`it is not valid YAML (line ${error.linePos?.[0].line ?? 1})`);
}

/**
 * The parser recurses, and V8 crashes compiling a regular expression near the stack's end. The lexer does not recurse.
 */
function checkShape(text: string): void {
  let flowDepth = 0;
  let column = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') flowDepth += 1;
    else if (token === ']' || token === '}') flowDepth -= 1;
    const isNesting = flowDepth <= 0 && (token === '-' || token === '?' || (column === 0 && /^[ \t]+$/.test(token)));
    if (flowDepth > maxDepth || (isNesting && column + token.length > maxBlockColumn)) {
      throw new RewriteError('it is nested too deeply');
    }
    const lineFeed = token.lastIndexOf('\n');
    column = lineFeed === -1 ? column + token.length : token.length - lineFeed - 1;
  }
}

function rootOf(text: string, { contents }: Document.Parsed): YamlNode {
  const context = { isFlow: false, outerColumn: -1 };
  // empty or comments only: append
  if (!contents || (isScalar(contents) && contents.range[0] === contents.range[1])) {
    return { kind: 'scalar', type: 'null', text: undefined, start: text.length, end: text.length, ...context };
  }
  return toNode(text, contents, context);
}

function toNode(text: string, node: ParsedNode, context: Pick<YamlNode, 'isFlow' | 'outerColumn'>): YamlNode {
  const [start, end] = node.range;
  if (!isCollection(node)) return { ...scalarOf(node, start, end), ...context };
  const isFlow = context.isFlow || node.flow === true;
  const inner = { isFlow, outerColumn: isFlow ? context.outerColumn : columnOf(text, start) };
  const place = { start, end, ...context, isFlow };
  if (isSeq(node)) return { ...place, kind: 'list', items: node.items.map((item) => toNode(text, item, inner)) };
  if (!isMap(node)) throw new RewriteError('it holds something that is not known');
  const entries = node.items.flatMap(({ key, value }) => {
    if (!isScalar(key)) return [];
    const [, keyEnd] = key.range;
    // `{ k }` has no value
    const nothing: ScalarNode = { kind: 'scalar', type: 'other', text: undefined, start: keyEnd, end: keyEnd };
    return [{ key: String(key.value), node: value ? toNode(text, value, inner) : { ...nothing, ...inner } }];
  });
  return { ...place, kind: 'map', entries };
}

function columnOf(text: string, offset: number): number {
  return offset - text.lastIndexOf('\n', offset - 1) - 1;
}

const nulls = /^(?:~|null|Null|NULL)?$/;
/** With YAML 1.1's (most Java games). */
const flags = /^(?:true|True|TRUE|false|False|FALSE|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/;
const numbers = /^[-+]?(?:0x[\da-fA-F]+|0o[0-7]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d+)?)$/;

function scalarOf(node: Scalar.Parsed | Alias.Parsed, start: number, end: number): ScalarNode {
  const place = { kind: 'scalar', start, end } as const;
  if (!isScalar(node)) return { ...place, type: 'other', text: undefined };
  const value = String(node.value);
  const isText = node.type !== Scalar.PLAIN || node.tag !== undefined;
  if (isText) return { ...place, type: 'string', text: value };
  if (nulls.test(value)) return { ...place, type: 'null', text: undefined };
  if (flags.test(value)) return { ...place, type: 'bool', text: value };
  if (numbers.test(value)) return { ...place, type: 'number', text: value.replace(/^\+/, '') };
  return { ...place, type: 'string', text: value };
}
