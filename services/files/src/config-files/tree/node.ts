/** A document part and its range in the text. */
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
  /** `other`: format-specific, like a date or an alias. */
  readonly type: 'string' | 'number' | 'bool' | 'null' | 'other';
  /** Undefined when unknown. */
  readonly text: string | undefined;
}

/** A string's content, a number's literal, or true or false. */
export interface Literal {
  readonly type: 'string' | 'number' | 'bool';
  readonly text: string;
}

/** A syntax of trees, edited in its text. */
export interface TreeFormat<N extends Node = Node> {
  /** An empty document is a scalar of type null. Throws RewriteError for invalid text. */
  parse(text: string): N;
  /** The literal, formatted like `old`. */
  print(text: string, old: ScalarNode, literal: Literal): string;
  /**
   * Inserts `literal` at `path` below `container`: a map without the path's first key, a list as long as its first
   * index, or an empty node. Throws RewriteError where this is impossible.
   */
  insert(text: string, container: Node, path: readonly PlainStep[], literal: Literal): string;
}

/** A map key (or a numeric list index), an index, or all children. */
export type Step = { readonly key: string } | { readonly index: number } | '*';
export type PlainStep = Exclude<Step, '*'>;

/** The last entry of this name, like most readers. */
export function entryOf(map: MapNode, key: string): Node | undefined {
  return map.entries.findLast((entry) => entry.key === key)?.node;
}

export function splice(text: string, start: number, end: number, inserted: string): string {
  return text.slice(0, start) + inserted + text.slice(end);
}
