import type { ListNode, MapNode, ScalarNode } from './node.js';

/** Where to insert keys. */
export type InsertionPoint =
  /** Lines after `after`, with `prefix` before keys. */
  | { readonly kind: 'lines'; after: number; readonly prefix: readonly string[] }
  /** Above the first table; `after` undefined without lines. */
  | { readonly kind: 'top'; after: number | undefined }
  /** Between braces, with `prefix` before keys. */
  | { readonly kind: 'inline'; readonly prefix: readonly string[] }
  /** Exists only through the tables below it. */
  | { readonly kind: 'implied'; readonly path: readonly string[] };

export interface TomlMap extends MapNode {
  readonly entries: { key: string; node: TomlNode }[];
  home: InsertionPoint;
}
interface TomlList extends ListNode {
  readonly items: TomlNode[];
  readonly isOfTables: boolean;
}
export type TomlNode = TomlMap | TomlList | ScalarNode;
