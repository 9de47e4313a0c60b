import { messageOf } from '@panel/kit/errors';
import { Lexer, parseDocument, visit, YAMLError } from 'yaml';
import { checkKey, isList, isMap, maxTreeDepth, numberOrText, type Tree, TreeError } from './json-tree.js';

/** Each can multiply the document; exporters write none. */
const maxAliases = 10;
/** The largest public egg has 500. Quadratic for some input: 1 s. */
const maxTokens = 20_000;
const maxFlowDepth = 64;
/** Each block level takes at least a column. */
const maxBlockColumn = 128;

/** Throws TreeError as `parseJsonTree`, and for tags outside the core schema. */
export function parseYamlTree(text: string): Tree {
  checkTokens(text);
  try {
    // The check for duplicates is quadratic; the last key wins.
    const document = parseDocument(text, { schema: 'core', merge: false, uniqueKeys: false, logLevel: 'silent' });
    const [problem] = document.errors;
    if (problem) throw new TreeError(`not valid YAML: ${firstLine(problem.message)}`);
    visit(document, {
      Scalar: (_key, node) => {
        if (typeof node.value === 'number' && node.source !== undefined) node.value = numberOrText(node.source);
      },
    });
    return toTree(document.toJS({ mapAsMap: true, maxAliasCount: maxAliases }), 0);
  } catch (error) {
    if (error instanceof ReferenceError) throw new TreeError('too many aliases');
    if (error instanceof YAMLError) throw new TreeError(`not valid YAML: ${firstLine(messageOf(error))}`);
    throw error;
  }
}

/**
 * Before the recursive parser: V8 exits when it compiles an expression near the stack's end ("RegExpCompiler Allocation
 * failed", seen with 2,000 brackets). The lexer does not recurse.
 */
function checkTokens(text: string): void {
  let tokens = 0;
  let flowDepth = 0;
  let column = 0;
  for (const token of new Lexer().lex(text)) {
    if (++tokens > maxTokens) throw new TreeError(`more than ${maxTokens} tokens`);
    if (token === '[' || token === '{') flowDepth++;
    else if (token === ']' || token === '}') flowDepth--;
    else if (flowDepth <= 0 && nests(token, column) && column + token.length > maxBlockColumn) {
      throw new TreeError('nested too deeply');
    }
    if (flowDepth > maxFlowDepth) throw new TreeError('nested too deeply');
    const lineFeed = token.lastIndexOf('\n');
    column = lineFeed === -1 ? column + token.length : token.length - lineFeed - 1;
  }
}

function nests(token: string, column: number): boolean {
  return token === '-' || token === '?' || (column === 0 && /^[ \t]+$/.test(token));
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, 200);
}

function toTree(value: unknown, depth: number): Tree {
  if (depth > maxTreeDepth) throw new TreeError(`nested deeper than ${maxTreeDepth} levels`);
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return value;
  const tree = value as Tree;
  if (isList(tree)) return tree.map((item) => toTree(item, depth + 1));
  if (!isMap(tree)) throw new TreeError('a value of an unknown kind');
  const map = new Map<string, Tree>();
  for (const [key, item] of tree as ReadonlyMap<unknown, Tree>) {
    const name = String(key);
    checkKey(name);
    map.set(name, toTree(item, depth + 1));
  }
  return map;
}
