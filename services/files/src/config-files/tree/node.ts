/** What stands in a document, with its place in the text. */
export type Node = MapNode | ListNode | ScalarNode;

interface Place {
  readonly start: number;
  readonly end: number;
}

export interface MapNode extends Place {
  readonly kind: 'map';
  readonly entries: readonly { readonly key: string; readonly node: Node }[];
}

export interface ListNode extends Place {
  readonly kind: 'list';
  readonly items: readonly Node[];
}

export interface ScalarNode extends Place {
  readonly kind: 'scalar';
  /** `other`: what has no counterpart elsewhere, like a date or an alias. */
  readonly type: 'string' | 'number' | 'bool' | 'null' | 'other';
  /** What it reads; undefined when that is not known. */
  readonly text: string | undefined;
}

/** A scalar to be written: a string's content, a number's literal, or true or false. */
export interface Literal {
  readonly type: 'string' | 'number' | 'bool';
  readonly text: string;
}

/** One way to write trees, by changes to its text. */
export interface TreeFormat<N extends Node = Node> {
  /** The whole document; an empty one is a scalar of type null. Throws RewriteError when the text is broken. */
  parse(text: string): N;
  /** The literal in the place of `old`, as it is written there. */
  print(text: string, old: ScalarNode, literal: Literal): string;
  /**
   * The text with `literal` at `path` below `container`, which is a map without the first key of the path, a list with as
   * many items as its first index, or empty. Throws RewriteError where that cannot be written.
   */
  insert(text: string, container: Node, path: readonly PlainStep[], literal: Literal): string;
}

/** One step of a path: the name in a map (or the index in a list, when it is a number), an index, or all children. */
export type Step = { readonly key: string } | { readonly index: number } | '*';
export type PlainStep = Exclude<Step, '*'>;

/** The last entry of this name, which is the one that counts for most readers. */
export function entryOf(map: MapNode, key: string): Node | undefined {
  return map.entries.findLast((entry) => entry.key === key)?.node;
}

/** Replace one part of a text. */
export function splice(text: string, start: number, end: number, inserted: string): string {
  return text.slice(0, start) + inserted + text.slice(end);
}
