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

/** Every level of a block is at least a column further right. */
const maxBlockColumn = 256;

/** YAML, without a meaning for merges and tags. Aliases are never followed; of several documents the first is meant. */
export const yaml: TreeFormat<YamlNode> = {
  parse: (text) => {
    checkShape(text);
    // the failsafe schema reads all scalars as text: nothing is lost. Looking for repeated keys is quadratic.
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
 * The parser recurses, and a regular expression that V8 compiles near the end of its stack ends the whole process. The
 * lexer does not recurse.
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
  // without anything but comments; what is added goes behind them
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
    // `{ k }` has no value at all
    const nothing: ScalarNode = { kind: 'scalar', type: 'other', text: undefined, start: keyEnd, end: keyEnd };
    return [{ key: String(key.value), node: value ? toNode(text, value, inner) : { ...nothing, ...inner } }];
  });
  return { ...place, kind: 'map', entries };
}

function columnOf(text: string, offset: number): number {
  return offset - text.lastIndexOf('\n', offset - 1) - 1;
}

const nulls = /^(?:~|null|Null|NULL)?$/;
/** With the words of YAML 1.1, which most Java games read. */
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
