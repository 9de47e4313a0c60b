import { RewriteError } from '../rewrite-error.js';
import {
  nodeUnder,
  type ListNode,
  type MapNode,
  type Node,
  type PlainStep,
  type ScalarNode,
  type Step,
} from './node.js';

/** `missing`: `rest` of the path below `container`. */
export type Found =
  | { readonly kind: 'scalars'; readonly scalars: readonly ScalarNode[] }
  | { readonly kind: 'missing'; readonly container: Node; readonly rest: readonly PlainStep[] };

/**
 * With a wildcard: existing scalars. Otherwise throws RewriteError at a non-null scalar, an index beyond the end, or a
 * map or list instead of a value.
 */
export function find(root: Node, path: readonly Step[]): Found {
  const plain = path.filter((step) => step !== '*');
  if (plain.length < path.length) return { kind: 'scalars', scalars: findExisting(root, path) };
  let node = root;
  for (const [at, step] of plain.entries()) {
    const next = child(node, step);
    if (!next) {
      checkRoom(node, step);
      const [, ...rest] = plain.slice(at);
      if (rest.some((below) => 'index' in below && below.index > 0))
        throw new RewriteError('the list is not that long');
      return { kind: 'missing', container: node, rest: [step, ...rest] };
    }
    node = next;
  }
  if (node.kind === 'scalar') return { kind: 'scalars', scalars: [node] };
  if (isEmpty(node)) return { kind: 'scalars', scalars: [{ ...node, kind: 'scalar', type: 'null', text: undefined }] };
  throw new RewriteError('there is more than one value at this place');
}

export function findExisting(root: Node, path: readonly Step[]): ScalarNode[] {
  return [...matches(root, path)];
}

function* matches(node: Node, path: readonly Step[]): Generator<ScalarNode> {
  const [step, ...rest] = path;
  if (step === undefined) {
    if (node.kind === 'scalar') yield node;
    return;
  }
  const next = step === '*' ? childrenOf(node) : [child(node, step)];
  for (const below of next) if (below) yield* matches(below, rest);
}

function childrenOf(node: Node): readonly Node[] {
  if (node.kind === 'map') return node.entries.map((entry) => entry.node);
  return node.kind === 'list' ? node.items : [];
}

function child(node: Node, step: PlainStep): Node | undefined {
  if (node.kind === 'map') return nodeUnder(node, 'key' in step ? step.key : String(step.index));
  const index = indexOf(step);
  return node.kind === 'list' && index !== null ? node.items[index] : undefined;
}

/** Throws RewriteError when the step is impossible below this node. */
function checkRoom(node: Node, step: PlainStep): void {
  if (isEmpty(node)) {
    if ('index' in step && step.index > 0) throw new RewriteError('the list is not that long');
    return;
  }
  if (node.kind === 'scalar') throw new RewriteError('a part of this path is a single value');
  if (node.kind === 'map' && 'index' in step) throw new RewriteError('a part of this path is not a list');
  if (node.kind === 'list' && indexOf(step) === null) throw new RewriteError('a part of this path is a list');
  if (node.kind === 'list' && indexOf(step) !== node.items.length) throw new RewriteError('the list is not that long');
}

function indexOf(step: PlainStep): number | null {
  if ('index' in step) return step.index;
  return /^\d{1,6}$/.test(step.key) ? Number(step.key) : null;
}

function isEmpty(node: ScalarNode | MapNode | ListNode): boolean {
  if (node.kind === 'scalar') return node.type === 'null';
  return (node.kind === 'map' ? node.entries : node.items).length === 0;
}
