import type { ListNode, MapNode, ScalarNode } from './node.js';

/** How the keys of a map are written, and where another one can be. */
export type InsertionPoint =
  /** In lines: behind `after`, each with the names of `prefix` in front. */
  | { readonly kind: 'lines'; after: number; readonly prefix: readonly string[] }
  /** In the lines above the first table, of which there may be none yet. */
  | { readonly kind: 'top'; after: number | undefined }
  /** Between braces, each with the names of `prefix` in front. */
  | { readonly kind: 'inline'; readonly prefix: readonly string[] }
  /** Known only from the names of tables below it. */
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
