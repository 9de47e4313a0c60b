/** With its range in the text. */
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

/** A string's content, a number's literal, true or false. */
export interface Literal {
  readonly type: 'string' | 'number' | 'bool';
  readonly text: string;
}

/** Edits trees in their text. */
export interface TreeFormat<N extends Node = Node> {
  /** An empty document is null. Throws RewriteError for invalid text. */
  parse(text: string): N;
  /** Formatted like `old`. */
  print(text: string, old: ScalarNode, literal: Literal): string;
  /**
   * `container`: a map without the path's first key, a list as long as its first index, or empty. Throws RewriteError
   * if impossible.
   */
  insert(text: string, container: Node, path: readonly PlainStep[], literal: Literal): string;
}

/** Numeric keys are list indexes; `*`: all children. */
export type Step = { readonly key: string } | { readonly index: number } | '*';
export type PlainStep = Exclude<Step, '*'>;

/** The last one, like most readers. */
export function nodeUnder(map: MapNode, key: string): Node | undefined {
  return map.entries.findLast((entry) => entry.key === key)?.node;
}

export function splice(text: string, start: number, end: number, inserted: string): string {
  return text.slice(0, start) + inserted + text.slice(end);
}
